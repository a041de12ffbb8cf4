import { writeMagnitudes } from './spectrum.ts';
import type { Weights } from './weights.ts';

/** Samples, at 16 kHz, of which one probability is made. */
export const WINDOW_SAMPLES = 512;
/** Samples of the window before that are seen again. */
const CONTEXT_SAMPLES = 64;
const FRAMES = 4;
const FREQUENCIES = 129;
const CELLS = 128;
const GATES = 4;

/** Memory of one sound between its windows. */
export interface SpeechState {
  readonly samples: Float64Array;
  /** Input of the recurrent layer, and behind it its last output. */
  readonly features: Float64Array;
  readonly cells: Float64Array;
}

export const createSpeechState = (): SpeechState => ({
  samples: new Float64Array(CONTEXT_SAMPLES + WINDOW_SAMPLES + CONTEXT_SAMPLES),
  features: new Float64Array(2 * CELLS),
  cells: new Float64Array(CELLS),
});

const relu = (value: number): number => (value > 0 ? value : 0);
const sigmoid = (value: number): number => 1 / (1 + Math.exp(-value));

/** The recurrent layer's weights with those of a cell's four gates side by side. */
const recurrentOf = (weights: Weights): { kernel: Float64Array; bias: Float64Array } => {
  const kernel = new Float64Array(CELLS * 2 * CELLS * GATES);
  const bias = new Float64Array(CELLS * GATES);
  for (let cell = 0; cell < CELLS; cell += 1)
    for (let gate = 0; gate < GATES; gate += 1) {
      const row = gate * CELLS + cell;
      bias[cell * GATES + gate] =
        weights['decoder.rnn.bias_ih'][row]! + weights['decoder.rnn.bias_hh'][row]!;
      for (let input = 0; input < CELLS; input += 1) {
        const at = (cell * 2 * CELLS + input) * GATES + gate;
        kernel[at] = weights['decoder.rnn.weight_ih'][row * CELLS + input]!;
        kernel[at + CELLS * GATES] = weights['decoder.rnn.weight_hh'][row * CELLS + input]!;
      }
    }
  return { kernel, bias };
};

/**
 * Creates the network of Silero VAD: a spectrum of four frames, four convolutions over time and an
 * LSTM. Numbers of 64 bits need no conversion and take half of the time.
 */
export const createNetwork = (weights: Weights) => {
  const layers = [0, 1, 2, 3] as const;
  const [kernel1, kernel2, kernel3, kernel4] = layers.map((layer) =>
    Float64Array.from(weights[`encoder.${layer}.reparam_conv.weight`]),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const [bias1, bias2, bias3, bias4] = layers.map((layer) =>
    Float64Array.from(weights[`encoder.${layer}.reparam_conv.bias`]),
  ) as [Float64Array, Float64Array, Float64Array, Float64Array];
  const recurrent = recurrentOf(weights);
  const outWeights = Float64Array.from(weights['decoder.decoder.2.weight']);
  const outBias = weights['decoder.decoder.2.bias'][0]!;
  const spectrum = new Float64Array(FREQUENCIES * FRAMES);
  const hidden1 = new Float64Array(128 * FRAMES);
  const hidden2 = new Float64Array(64 * 2);
  const hidden3 = new Float64Array(64);
  const output = new Float64Array(CELLS);

  /** Three taps with a step of one: four frames stay four. */
  const convolve1 = (): void => {
    for (let out = 0; out < 128; out += 1) {
      let [a, b, c, d] = [bias1[out]!, bias1[out]!, bias1[out]!, bias1[out]!];
      for (let w = out * 3 * FREQUENCIES, x = 0; x < FREQUENCIES * FRAMES; w += 3, x += FRAMES) {
        const before = kernel1[w]!;
        const now = kernel1[w + 1]!;
        const after = kernel1[w + 2]!;
        const s = spectrum[x]!;
        const t = spectrum[x + 1]!;
        const u = spectrum[x + 2]!;
        const v = spectrum[x + 3]!;
        a += now * s + after * t;
        b += before * s + now * t + after * u;
        c += before * t + now * u + after * v;
        d += before * u + now * v;
      }
      hidden1[out * FRAMES] = relu(a);
      hidden1[out * FRAMES + 1] = relu(b);
      hidden1[out * FRAMES + 2] = relu(c);
      hidden1[out * FRAMES + 3] = relu(d);
    }
  };

  /** Three taps with a step of two: four frames become two. */
  const convolve2 = (): void => {
    for (let out = 0; out < 64; out += 1) {
      let [a, b] = [bias2[out]!, bias2[out]!];
      for (let w = out * 3 * 128, x = 0; x < 128 * FRAMES; w += 3, x += FRAMES) {
        const before = kernel2[w]!;
        const now = kernel2[w + 1]!;
        const after = kernel2[w + 2]!;
        const t = hidden1[x + 1]!;
        a += now * hidden1[x]! + after * t;
        b += before * t + now * hidden1[x + 2]! + after * hidden1[x + 3]!;
      }
      hidden2[out * 2] = relu(a);
      hidden2[out * 2 + 1] = relu(b);
    }
  };

  /** Two frames become one, which the last convolution keeps: other taps see nothing. */
  const convolve34 = (features: Float64Array): void => {
    for (let out = 0; out < 64; out += 1) {
      let sum = bias3[out]!;
      for (let w = out * 3 * 64 + 1, x = 0; x < 128; w += 3, x += 2)
        sum += kernel3[w]! * hidden2[x]! + kernel3[w + 1]! * hidden2[x + 1]!;
      hidden3[out] = relu(sum);
    }
    for (let out = 0; out < 128; out += 1) {
      let sum = bias4[out]!;
      for (let w = out * 3 * 64 + 1, x = 0; x < 64; w += 3, x += 1)
        sum += kernel4[w]! * hidden3[x]!;
      features[out] = relu(sum);
    }
  };

  const recur = ({ features, cells }: SpeechState): number => {
    const { kernel, bias } = recurrent;
    let sum = outBias;
    for (let cell = 0; cell < CELLS; cell += 1) {
      let enter = bias[cell * GATES]!;
      let keep = bias[cell * GATES + 1]!;
      let value = bias[cell * GATES + 2]!;
      let show = bias[cell * GATES + 3]!;
      for (let input = 0, w = cell * 2 * CELLS * GATES; input < 2 * CELLS; input += 1, w += GATES) {
        const feature = features[input]!;
        enter += kernel[w]! * feature;
        keep += kernel[w + 1]! * feature;
        value += kernel[w + 2]! * feature;
        show += kernel[w + 3]! * feature;
      }
      const kept = sigmoid(keep) * cells[cell]! + sigmoid(enter) * Math.tanh(value);
      const shown = sigmoid(show) * Math.tanh(kept);
      cells[cell] = kept;
      output[cell] = shown;
      sum += outWeights[cell]! * relu(shown);
    }
    features.set(output, CELLS);
    return sigmoid(sum);
  };

  /** The probability of speech in the next window; `gain` is applied to its samples. */
  return (state: SpeechState, window: Float32Array, gain: number): number => {
    const { samples } = state;
    samples.copyWithin(0, WINDOW_SAMPLES, WINDOW_SAMPLES + CONTEXT_SAMPLES);
    for (let at = 0; at < WINDOW_SAMPLES; at += 1)
      samples[CONTEXT_SAMPLES + at] = (window[at] ?? 0) * gain;
    const end = CONTEXT_SAMPLES + WINDOW_SAMPLES;
    for (let at = 0; at < CONTEXT_SAMPLES; at += 1) samples[end + at] = samples[end - 2 - at]!;
    writeMagnitudes(samples, 0, 128, spectrum, 0);
    writeMagnitudes(samples, 256, 384, spectrum, 2);
    convolve1();
    convolve2();
    convolve34(state.features);
    return recur(state);
  };
};
