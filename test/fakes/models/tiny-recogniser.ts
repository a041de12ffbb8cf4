import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeOnnx, integers, type Node } from './onnx.ts';
import { bandsOf, LETTERS } from './tones.ts';

/** Logarithm of energy over which a band is a tone; silence has about -16. */
const TONE_LEVEL = -2;

/**
 * Writes a model of kind `nemo-ctc` whose letters are the loudest bands. A space is a longer silence,
 * which it does not know: words come without spaces.
 */
export const writeTinyRecogniser = (folder: string): void => {
  const nodes = LETTERS.flatMap((_, letter): Node[] => {
    const [from, to] = bandsOf(letter);
    return [
      {
        op: 'Slice',
        inputs: ['features', `at${from}`, `at${to + 1}`, 'axis'],
        output: `s${letter}`,
      },
      {
        op: 'ReduceMax',
        inputs: [`s${letter}`],
        output: `l${letter}`,
        attributes: { axes: [1], keepdims: 1 },
      },
    ];
  });
  const bounds = new Set(
    LETTERS.flatMap((_, letter) => [bandsOf(letter)[0], bandsOf(letter)[1] + 1]),
  );
  const model = encodeOnnx({
    inputs: [
      { name: 'features', type: 'float', shape: ['N', 80, 'T'] },
      { name: 'length', type: 'int64', shape: ['N'] },
    ],
    outputs: [{ name: 'logits', type: 'float', shape: ['N', 'T', LETTERS.length + 1] }],
    constants: [
      integers('axis', [1]),
      ...[...bounds].map((at) => integers(`at${at}`, [at])),
      { name: 'level', shape: [1], values: Float32Array.of(TONE_LEVEL) },
    ],
    nodes: [
      ...nodes,
      { op: 'Sub', inputs: ['l0', 'l0'], output: 'zero' },
      { op: 'Add', inputs: ['zero', 'level'], output: 'blank' },
      {
        op: 'Concat',
        inputs: [...LETTERS.map((_, letter) => `l${letter}`), 'blank'],
        output: 'scores',
        attributes: { axis: 1 },
      },
      { op: 'Transpose', inputs: ['scores'], output: 'logits', attributes: { perm: [0, 2, 1] } },
    ],
    metadata: {
      model_type: 'EncDecCTCModelBPE',
      vocab_size: LETTERS.length,
      subsampling_factor: 1,
      normalize_type: '',
    },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), model);
  const tokens = [...LETTERS, '<blk>'].map((token, id) => `${token} ${id}\n`);
  writeFileSync(join(folder, 'tokens.txt'), tokens.join(''));
};
