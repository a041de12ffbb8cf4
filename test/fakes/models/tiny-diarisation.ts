import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeOnnx, type Node } from './onnx.ts';
import { frequencyOf, TONES_RATE_HZ } from './tones.ts';

/** Letters whose tones are the voices of two people. */
export const VOICES = ['a', 'z'] as const;

const FRAME = 160;
const WINDOW = 10 * TONES_RATE_HZ;
const BANDS = 80;
/** Energy of a frame over which somebody speaks. */
const LEVEL = 100;
/** Logarithm of energy over which a band is a tone; silence has about -16. */
const TONE_LEVEL = -2;

/** Kernels whose answers to a tone of each voice are large, whatever its phase. */
const kernels = (): Float32Array => {
  const values: number[] = [];
  for (const letter of [0, 25])
    for (const wave of [Math.sin, Math.cos])
      for (let at = 0; at < FRAME; at += 1)
        values.push(wave((2 * Math.PI * frequencyOf(letter) * at) / TONES_RATE_HZ));
  return Float32Array.from(values);
};

const segmentation = (): Buffer => {
  const nodes: Node[] = [
    {
      op: 'Conv',
      inputs: ['x', 'kernels'],
      output: 'waves',
      attributes: { kernel_shape: [FRAME], strides: [FRAME] },
    },
    { op: 'Mul', inputs: ['waves', 'waves'], output: 'powers' },
    // Classes: nobody, each of three people, each pair of them.
    { op: 'Conv', inputs: ['powers', 'classes', 'levels'], output: 'scores' },
    { op: 'Transpose', inputs: ['scores'], output: 'y', attributes: { perm: [0, 2, 1] } },
  ];
  const classes = new Float32Array(7 * 4);
  classes.set([1, 1, 0, 0], 4);
  classes.set([0, 0, 1, 1], 8);
  return encodeOnnx({
    inputs: [{ name: 'x', type: 'float', shape: ['N', 1, 'T'] }],
    outputs: [{ name: 'y', type: 'float', shape: ['N', 'F', 7] }],
    constants: [
      { name: 'kernels', shape: [4, 1, FRAME], values: kernels() },
      { name: 'classes', shape: [7, 4, 1], values: classes },
      { name: 'levels', shape: [7], values: Float32Array.of(LEVEL, 0, 0, 0, 0, 0, 0) },
    ],
    nodes,
    metadata: {
      sample_rate: TONES_RATE_HZ,
      window_size: WINDOW,
      receptive_field_size: FRAME,
      receptive_field_shift: FRAME,
      num_speakers: 3,
      powerset_max_classes: 2,
      num_classes: 7,
    },
  });
};

/** A voice is the bands that are loud at times. */
const embedding = (): Buffer =>
  encodeOnnx({
    inputs: [{ name: 'x', type: 'float', shape: ['N', 'T', BANDS] }],
    outputs: [{ name: 'y', type: 'float', shape: ['N', BANDS] }],
    constants: [{ name: 'level', shape: [1], values: Float32Array.of(TONE_LEVEL) }],
    nodes: [
      { op: 'Sub', inputs: ['x', 'level'], output: 'over' },
      { op: 'Relu', inputs: ['over'], output: 'loud' },
      { op: 'ReduceMean', inputs: ['loud'], output: 'y', attributes: { axes: [1], keepdims: 0 } },
    ],
    metadata: {
      framework: 'wespeaker',
      language: 'English',
      output_dim: BANDS,
      sample_rate: TONES_RATE_HZ,
      normalize_samples: 1,
    },
  });

/** Writes models that tell two people apart, who speak in the tones of `VOICES`. */
export const writeTinyDiarisation = (folder: string): void => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'segmentation.onnx'), segmentation());
  writeFileSync(join(folder, 'embedding.onnx'), embedding());
};
