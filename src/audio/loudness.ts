/** Measures the loudness of mono sound as ITU-R BS.1770 defines it: K-weighted, in gated blocks. */

const STEP_MS = 100;
/** A block has four steps of 100 ms; blocks overlap by three. */
const BLOCK_STEPS = 4;
/** Blocks quieter than this do not count, in LUFS. */
const ABSOLUTE_GATE = -70;
/** Blocks quieter than the mean of the others by more than this do not count, in LU. */
const RELATIVE_GATE = -10;
/** Offset of BS.1770-5, annex 1, formula 2. */
const OFFSET = -0.691;

/** Coefficients of `y = b0 x + b1 x' + b2 x'' - a1 y' - a2 y''`. */
interface Biquad {
  readonly b0: number;
  readonly b1: number;
  readonly b2: number;
  readonly a1: number;
  readonly a2: number;
}

/**
 * The K-weighting, a high shelf and a high pass. The frequencies, gain and qualities are those of the
 * analogue filters that have BS.1770's coefficients at 48 kHz (annex 1, tables 1 and 2).
 */
const kWeighting = (sampleRateHz: number): readonly [shelf: Biquad, pass: Biquad] => {
  const warped = (hertz: number): number => Math.tan((Math.PI * hertz) / sampleRateHz);
  const shelf = warped(1_681.974450955533);
  const shelfQ = 0.7071752369554196;
  const high = 10 ** (3.999843853973347 / 20);
  const middle = high ** 0.4996667741545416;
  const shelfA0 = 1 + shelf / shelfQ + shelf ** 2;
  const pass = warped(38.13547087602444);
  const passQ = 0.5003270373238773;
  const passA0 = 1 + pass / passQ + pass ** 2;
  return [
    {
      b0: (high + (middle * shelf) / shelfQ + shelf ** 2) / shelfA0,
      b1: (2 * (shelf ** 2 - high)) / shelfA0,
      b2: (high - (middle * shelf) / shelfQ + shelf ** 2) / shelfA0,
      a1: (2 * (shelf ** 2 - 1)) / shelfA0,
      a2: (1 - shelf / shelfQ + shelf ** 2) / shelfA0,
    },
    {
      b0: 1,
      b1: -2,
      b2: 1,
      a1: (2 * (pass ** 2 - 1)) / passA0,
      a2: (1 - pass / passQ + pass ** 2) / passA0,
    },
  ];
};

const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Creates a meter of consecutive samples, which returns the mean squares of the K-weighted blocks
 * that end in them: of 400 ms each, one every 100 ms.
 */
export const createBlockMeter = (
  sampleRateHz: number,
): ((samples: Float32Array) => readonly number[]) => {
  const [shelf, pass] = kWeighting(sampleRateHz);
  const stepSamples = Math.round((sampleRateHz * STEP_MS) / 1_000);
  let [shelf1, shelf2, pass1, pass2] = [0, 0, 0, 0];
  let steps: number[] = [];
  let sum = 0;
  let filled = 0;
  return (samples) => {
    const blocks: number[] = [];
    // Both filters in one loop, without a call for each sample: twice as fast.
    for (let at = 0; at < samples.length; at += 1) {
      const sample = samples[at] ?? 0;
      const shelved = shelf.b0 * sample + shelf1;
      shelf1 = shelf.b1 * sample - shelf.a1 * shelved + shelf2;
      shelf2 = shelf.b2 * sample - shelf.a2 * shelved;
      const passed = pass.b0 * shelved + pass1;
      pass1 = pass.b1 * shelved - pass.a1 * passed + pass2;
      pass2 = pass.b2 * shelved - pass.a2 * passed;
      sum += passed * passed;
      filled += 1;
      if (filled < stepSamples) continue;
      steps = [...steps, sum / stepSamples].slice(-BLOCK_STEPS);
      if (steps.length === BLOCK_STEPS) blocks.push(meanOf(steps));
      sum = 0;
      filled = 0;
    }
    return blocks;
  };
};

const lufs = (meanSquare: number): number => OFFSET + 10 * Math.log10(meanSquare);

/** The integrated loudness of blocks, in LUFS; undefined where all are silent. */
export const integratedLoudness = (blocks: readonly number[]): number | undefined => {
  const audible = blocks.filter((block) => lufs(block) > ABSOLUTE_GATE);
  if (audible.length === 0) return undefined;
  const gate = lufs(meanOf(audible)) + RELATIVE_GATE;
  return lufs(meanOf(audible.filter((block) => lufs(block) > gate)));
};
