import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { encodeOnnx } from './onnx.ts';
import { frequencyOf, LETTER_MS, LETTERS, TONE_MS, TONES_RATE_HZ } from './tones.ts';

export interface TinyVoiceOptions {
  /** Language as a person reads it; models name it so. */
  readonly language?: string;
  readonly speakers?: number;
  /** True for the inputs of Piper's models, and no metadata. */
  readonly isPiper?: boolean;
}

/** Writes a model of kind VITS that says each letter as its tone and anything else as silence. */
export const writeTinyVoice = (
  folder: string,
  { language = 'English', speakers = 1, isPiper = false }: TinyVoiceOptions = {},
): void => {
  const samplesPerLetter = (LETTER_MS * TONES_RATE_HZ) / 1000;
  const samplesPerTone = (TONE_MS * TONES_RATE_HZ) / 1000;
  const steps = [0, ...LETTERS.map((_, i) => (2 * Math.PI * frequencyOf(i)) / TONES_RATE_HZ), 0];
  const model = encodeOnnx({
    inputs: [
      { name: 'x', type: 'int64', shape: ['N', 'T'] },
      { name: 'x_length', type: 'int64', shape: ['N'] },
      ...(isPiper
        ? [{ name: 'scales', type: 'float' as const, shape: [3] }]
        : ['noise_scale', 'length_scale', 'noise_scale_w'].map((name) => ({
            name,
            type: 'float' as const,
            shape: [1],
          }))),
      ...(isPiper ? [] : [{ name: 'sid', type: 'int64' as const, shape: [1] }]),
    ],
    outputs: [{ name: 'y', type: 'float', shape: [1, 1, 'S'] }],
    constants: [
      { name: 'steps', shape: [steps.length], values: Float32Array.from(steps) },
      { name: 'letter', shape: [], values: Float32Array.of(samplesPerLetter) },
      { name: 'tone', shape: [], values: Float32Array.of(samplesPerTone) },
      { name: 'level', shape: [], values: Float32Array.of(0.4) },
      { name: 'none', shape: [], values: Float32Array.of(0) },
      { name: 'one', shape: [], values: Float32Array.of(1) },
      { name: 'second', shape: [1], values: BigInt64Array.of(1n) },
      { name: 'scalar', shape: [0], values: new BigInt64Array() },
      { name: 'column', shape: [2], values: BigInt64Array.of(-1n, 1n) },
      { name: 'flat', shape: [3], values: BigInt64Array.of(1n, 1n, -1n) },
    ],
    nodes: [
      ...(isPiper ? [{ op: 'Gather', inputs: ['scales', 'second'], output: 'length_scale' }] : []),
      { op: 'Reshape', inputs: ['length_scale', 'scalar'], output: 'scale' },
      { op: 'Mul', inputs: ['letter', 'scale'], output: 'letterSamples' },
      { op: 'Mul', inputs: ['tone', 'scale'], output: 'toneSamples' },
      { op: 'Range', inputs: ['none', 'letterSamples', 'one'], output: 'ramp' },
      { op: 'Less', inputs: ['ramp', 'toneSamples'], output: 'isTone' },
      { op: 'Cast', inputs: ['isTone'], output: 'tones', attributes: { to: 1 } },
      { op: 'Mul', inputs: ['tones', 'level'], output: 'loudness' },
      { op: 'Gather', inputs: ['steps', 'x'], output: 'step', attributes: { axis: 0 } },
      { op: 'Reshape', inputs: ['step', 'column'], output: 'perLetter' },
      { op: 'Mul', inputs: ['perLetter', 'ramp'], output: 'phase' },
      { op: 'Sin', inputs: ['phase'], output: 'wave' },
      { op: 'Mul', inputs: ['wave', 'loudness'], output: 'sound' },
      { op: 'Reshape', inputs: ['sound', 'flat'], output: 'y' },
    ],
    metadata: isPiper
      ? {}
      : {
          model_type: 'vits',
          comment: 'tones',
          frontend: 'characters',
          language,
          sample_rate: TONES_RATE_HZ,
          n_speakers: speakers,
          add_blank: 0,
          use_eos_bos: 0,
        },
  });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'model.onnx'), model);
  const tokens = [
    ...LETTERS.map((letter, i) => `${letter} ${i + 1}\n`),
    `  ${LETTERS.length + 1}\n`,
  ];
  writeFileSync(join(folder, 'tokens.txt'), tokens.join(''));
};

/**
 * Writes a voice as Piper's are published, `NAME.onnx` and `NAME.onnx.json`: phonemes that are letters are
 * tones.
 */
export const writePiperVoice = (
  folder: string,
  name: string,
  settings: Readonly<Record<string, unknown>> = {},
): void => {
  writeTinyVoice(folder, { isPiper: true });
  rmSync(join(folder, 'tokens.txt'));
  renameSync(join(folder, 'model.onnx'), join(folder, `${name}.onnx`));
  const ids = [['_', '^', '$', ' ', '\n'], LETTERS].flatMap((tokens, isLetter) =>
    tokens.map((token, at) => [token, [isLetter * (at + 1)]] as const),
  );
  writeFileSync(
    join(folder, `${name}.onnx.json`),
    JSON.stringify({
      audio: { sample_rate: TONES_RATE_HZ },
      espeak: { voice: 'en-us' },
      phoneme_type: 'espeak',
      phoneme_id_map: Object.fromEntries(ids),
      num_speakers: 1,
      speaker_id_map: {},
      language: { code: 'en_US', name_english: 'English' },
      dataset: 'joe',
      ...settings,
    }),
  );
};
