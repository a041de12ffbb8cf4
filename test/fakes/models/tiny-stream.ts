import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeOnnx, integers, type Port } from './onnx.ts';
import { frequencyOf, LETTERS, soundOf } from './tones.ts';

/** The letter whose tone stands for the space between words. */
const SPACE = 'z';
/** Frames of 10 ms that are decoded at once, and those with the context behind them. */
const CHUNK_FRAMES = 32;
const WINDOW_FRAMES = CHUNK_FRAMES + 13;
/** Frames for one token, as the library assumes. */
const SUBSAMPLING = 4;
/** Logarithm of energy over which a band is a tone; silence has about -16. */
const TONE_LEVEL = 2;

/** The band (of 80, from 20 to 7,600 Hz, on HTK's scale) of the library's features. */
const bandOf = (hz: number): number => {
  const mels = (of: number): number => 1_127 * Math.log(1 + of / 700);
  const width = (mels(7_600) - mels(20)) / 81;
  return Math.round((mels(hz) - mels(20)) / width - 1);
};

/** The sound of words, whose letters are a to y. */
export const streamSoundOf = (words: string): Float32Array => soundOf(words.replaceAll(' ', SPACE));

/** The sound that a chunk needs, with its context: words come when it is there. */
export const STREAM_WINDOW_MS = 10 * WINDOW_FRAMES;

/** The length of a chunk. */
export const STREAM_CHUNK_MS = 10 * CHUNK_FRAMES;

/**
 * Writes a model that recognises while speech comes (kind `zipformer2-ctc`): its letters are the loudest bands,
 * and its states, of the sizes that the library expects, stay as they are.
 */
export const writeTinyStream = (folder: string): void => {
  const states: readonly Port[] = [
    { name: 'key', type: 'float', shape: [1, 'N', 4] },
    { name: 'attention', type: 'float', shape: [1, 'N', 1, 3] },
    { name: 'value1', type: 'float', shape: [1, 'N', 4] },
    { name: 'value2', type: 'float', shape: [1, 'N', 4] },
    { name: 'conv1', type: 'float', shape: ['N', 4, 1] },
    { name: 'conv2', type: 'float', shape: ['N', 4, 1] },
    { name: 'embed', type: 'float', shape: ['N', 128, 3, 19] },
    { name: 'processed', type: 'int64', shape: ['N'] },
  ];
  const tokens = CHUNK_FRAMES / SUBSAMPLING;
  const model = encodeOnnx({
    inputs: [{ name: 'x', type: 'float', shape: ['N', WINDOW_FRAMES, 80] }, ...states],
    outputs: [
      { name: 'log_probs', type: 'float', shape: ['N', tokens, LETTERS.length + 1] },
      ...states.map((state) => ({ ...state, name: `new_${state.name}` })),
    ],
    constants: [
      integers('zero', [0]),
      integers('one', [1]),
      integers('two', [2]),
      integers('chunk', [CHUNK_FRAMES]),
      integers(
        'bands',
        LETTERS.map((_, letter) => bandOf(frequencyOf(letter))),
      ),
      integers('groups', [0, tokens, SUBSAMPLING, LETTERS.length]),
      { name: 'level', shape: [1], values: Float32Array.of(TONE_LEVEL) },
    ],
    nodes: [
      { op: 'Slice', inputs: ['x', 'zero', 'chunk', 'one'], output: 'frames' },
      {
        op: 'Gather',
        inputs: ['frames', 'bands'],
        output: 'letters',
        attributes: { axis: 2 },
      },
      { op: 'Reshape', inputs: ['letters', 'groups'], output: 'grouped' },
      {
        op: 'ReduceMin',
        inputs: ['grouped'],
        output: 'scores',
        attributes: { axes: [2], keepdims: 0 },
      },
      { op: 'Slice', inputs: ['scores', 'zero', 'one', 'two'], output: 'first' },
      { op: 'Sub', inputs: ['first', 'first'], output: 'none' },
      { op: 'Add', inputs: ['none', 'level'], output: 'blank' },
      {
        op: 'Concat',
        inputs: ['scores', 'blank'],
        output: 'log_probs',
        attributes: { axis: 2 },
      },
      ...states.map(({ name }) => ({ op: 'Identity', inputs: [name], output: `new_${name}` })),
    ],
    metadata: {
      model_type: 'zipformer2',
      encoder_dims: '4',
      query_head_dims: '4',
      value_head_dims: '4',
      num_heads: '1',
      num_encoder_layers: '1',
      cnn_module_kernels: '3',
      left_context_len: '1',
      T: WINDOW_FRAMES,
      decode_chunk_len: CHUNK_FRAMES,
    },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), model);
  const lines = [...LETTERS.map((letter) => (letter === SPACE ? '▁' : letter)), '<blk>'].map(
    (token, id) => `${token} ${id}\n`,
  );
  writeFileSync(join(folder, 'tokens.txt'), lines.join(''));
};
