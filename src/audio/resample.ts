import { damagedAudio } from './bytes.ts';
import { yieldTurn, inSlices, type Pcm, sliceSamples } from './pcm.ts';

export interface Resampler {
  /** Takes the next samples; returns the output that is complete by now. */
  push(samples: Float32Array): Float32Array;
  /** The rest: in all there are as many samples as the input's length says, rounded. */
  end(): Float32Array;
}

/** Input samples that one output sample is made of; more, by the ratio, where the rate falls. */
const TAPS = 32;
/**
 * Kaiser window and cut-off, the latter as a share of the lower rate: measured, tones up to 0.36 of
 * it keep a distance of 90 dB to noise, and aliases below that are as far down.
 */
const KAISER_BETA = 9;
const CUTOFF = 0.46;
/**
 * The most coefficients of a table, of which a thousand take 45 µs to make. Pairs of usual rates
 * need no more; for others the table has `BETWEEN_COEFFICIENTS`, and rows between two are
 * interpolated: tones still keep 97 dB.
 */
const MOST_COEFFICIENTS = 32_768;
const BETWEEN_COEFFICIENTS = 16_384;

const bessel = (x: number): number => {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-9; k += 1) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
};

const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));

/**
 * Computes a row of `taps` coefficients for each phase, and one for the first phase of the next
 * sample; every row sums to one.
 */
const designFilters = (phases: number, taps: number, cutoff: number): Float32Array => {
  const filters = new Float32Array((phases + 1) * taps);
  const half = taps / 2;
  const peak = bessel(KAISER_BETA);
  const row = new Float64Array(taps);
  for (let phase = 0; phase <= phases; phase += 1) {
    let sum = 0;
    for (let tap = 0; tap < taps; tap += 1) {
      const t = tap - half + 1 - phase / phases;
      const x = 2 * Math.PI * cutoff * t;
      const inside = Math.max(0, 1 - (t / half) ** 2);
      row[tap] = (x === 0 ? 1 : Math.sin(x) / x) * (bessel(KAISER_BETA * Math.sqrt(inside)) / peak);
      sum += row[tap]!;
    }
    for (let tap = 0; tap < taps; tap += 1) filters[phase * taps + tap] = row[tap]! / sum;
  }
  return filters;
};

/** Tables of the last ratios that are kept: a voice channel needs the same one for every sentence. */
const CACHED_FILTERS = 16;
const filterCache = new Map<string, Float32Array>();

const filtersFor = (phases: number, taps: number, cutoff: number): Float32Array => {
  const key = `${phases} ${taps} ${cutoff}`;
  const filters = filterCache.get(key) ?? designFilters(phases, taps, cutoff);
  filterCache.delete(key);
  filterCache.set(key, filters);
  const [oldest] = filterCache.keys();
  if (filterCache.size > CACHED_FILTERS && oldest !== undefined) filterCache.delete(oldest);
  return filters;
};

const passThrough: Resampler = { push: (samples) => samples, end: () => new Float32Array(0) };

/** A polyphase filter from one whole rate to another, for one channel. */
export const createResampler = (fromHz: number, toHz: number): Resampler => {
  if (fromHz === toHz) return passThrough;
  const common = gcd(fromHz, toHz);
  const up = toHz / common;
  const down = fromHz / common;
  const half = Math.ceil((TAPS / 2) * Math.max(1, fromHz / toHz));
  const taps = 2 * half;
  const exact = up * taps <= MOST_COEFFICIENTS;
  const phases = exact ? up : Math.ceil(BETWEEN_COEFFICIENTS / taps);
  const filters = filtersFor(phases, taps, CUTOFF * Math.min(1, toHz / fromHz));

  /** Input from `half - 1` before the sample at `at`; silence before the first. */
  let history = new Float32Array(half - 1);
  let remainder = 0;
  let inputSamples = 0;
  let outputSamples = 0;

  const filtered = (input: Float32Array, at: number, phase: number): number => {
    const row = phase * taps;
    let sum = 0;
    for (let tap = 0; tap < taps; tap += 1) sum += input[at + tap]! * filters[row + tap]!;
    return sum;
  };

  const push = (samples: Float32Array): Float32Array => {
    inputSamples += samples.length;
    const input = new Float32Array(history.length + samples.length);
    input.set(history);
    input.set(samples, history.length);
    const output = new Float32Array(
      Math.max(0, Math.ceil(((input.length - taps + 1) * up - remainder) / down)),
    );
    let at = 0;
    for (let i = 0; i < output.length; i += 1) {
      const place = exact ? remainder : (remainder * phases) / up;
      const phase = Math.floor(place);
      const sum = filtered(input, at, phase);
      const next = exact ? sum : filtered(input, at, phase + 1);
      output[i] = sum + (next - sum) * (place - phase);
      remainder += down;
      const whole = Math.floor(remainder / up);
      at += whole;
      remainder -= whole * up;
    }
    history = input.slice(at);
    outputSamples += output.length;
    return output;
  };

  return {
    push,
    end: () => {
      const due = Math.round((inputSamples * up) / down) - outputSamples;
      const rest = push(new Float32Array(taps + Math.ceil(down / up)));
      return rest.subarray(0, Math.max(0, due));
    },
  };
};

/** Resamples PCM; long chunks are processed in slices. */
export async function* resample(
  pcm: AsyncIterable<Float32Array>,
  fromHz: number,
  toHz: number,
): AsyncGenerator<Float32Array, void, void> {
  const resampler = createResampler(fromHz, toHz);
  for await (const slice of inSlices(pcm, sliceSamples(fromHz))) {
    const samples = resampler.push(slice);
    if (samples.length > 0) yield samples;
  }
  const rest = resampler.end();
  if (rest.length > 0) yield rest;
}

/** Rate changes allowed in one file: joined recordings have a few, and each costs a table. */
const MOST_RATE_CHANGES = 64;
/** Samples of input at once; at very high rates a quarter of a second would take over 10 ms. */
const LONGEST_PUSH_SAMPLES = 32_768;

/**
 * Resamples PCM whose rate may change on the way to `toHz`. Throws `bad-input` for more than 64
 * changes.
 */
export async function* toOneRate(
  pcm: AsyncIterable<Pcm>,
  toHz: number,
): AsyncGenerator<Float32Array, void, void> {
  let fromHz = toHz;
  let resampler = passThrough;
  let changes = 0;
  for await (const { samples, sampleRateHz } of pcm) {
    if (sampleRateHz !== fromHz) {
      changes += 1;
      if (changes > MOST_RATE_CHANGES)
        throw damagedAudio('a sample rate that changes all the time');
      yield resampler.end();
      fromHz = sampleRateHz;
      resampler = createResampler(fromHz, toHz);
    }
    for (let from = 0; from < samples.length; from += LONGEST_PUSH_SAMPLES) {
      if (from > 0) await yieldTurn();
      yield resampler.push(samples.subarray(from, from + LONGEST_PUSH_SAMPLES));
    }
  }
  yield resampler.end();
}
