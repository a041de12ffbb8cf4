import { describe, expect, it } from 'vitest';
import { createBlockMeter, integratedLoudness } from '../../../src/audio/loudness.ts';

const RATE_HZ = 24_000;

/** Sines one after the other: their peaks in dB of full scale, and seconds. */
const sines = (
  parts: readonly (readonly [peakDb: number, seconds: number])[],
  sampleRateHz = RATE_HZ,
  hertz = 997,
): Float32Array =>
  Float32Array.from(
    parts.flatMap(([peakDb, seconds]) =>
      Array.from(
        { length: seconds * sampleRateHz },
        (_, at) => 10 ** (peakDb / 20) * Math.sin((2 * Math.PI * hertz * at) / sampleRateHz),
      ),
    ),
  );

const loudnessOf = (samples: Float32Array, sampleRateHz = RATE_HZ): number | undefined =>
  integratedLoudness(createBlockMeter(sampleRateHz)(samples));

describe('integrated loudness', () => {
  // ITU-R BS.1770-5, annex 1: a sine of 997 Hz at full scale in one channel has -3.01 LKFS.
  it.each([16_000, 22_050, 24_000, 48_000])('is calibrated at %i Hz', (rateHz) => {
    expect(loudnessOf(sines([[0, 1]], rateHz), rateHz)).toBeCloseTo(-3.01, 1);
    expect(loudnessOf(sines([[-20, 1]], rateHz), rateHz)).toBeCloseTo(-23.01, 1);
  });

  // The frequency response of tables 1 and 2 there.
  it.each([
    [100, -1.8],
    [1_000, 0],
    [3_000, 3.1],
    [8_000, 3.35],
  ])('weighs %i Hz by %f dB', (hertz, gainDb) => {
    const of = (one: number): number => loudnessOf(sines([[-10, 2]], 48_000, one), 48_000)!;
    expect(of(hertz) - of(997)).toBeCloseTo(gainDb, 1);
  });

  // The programmes of EBU Tech 3341, test cases 3 and 4, in one channel.
  it('leaves out what is quiet, and silence', () => {
    expect(
      loudnessOf(
        sines([
          [-36, 10],
          [-23, 60],
          [-36, 10],
        ]),
      ),
    ).toBeCloseTo(-26.01, 1);
    expect(
      loudnessOf(
        sines([
          [-72, 10],
          [-36, 10],
          [-23, 60],
          [-36, 10],
          [-72, 10],
        ]),
      ),
    ).toBeCloseTo(-26.01, 1);
  });

  it('is none of silence, and of less than a block', () => {
    expect(loudnessOf(new Float32Array(RATE_HZ))).toBeUndefined();
    expect(loudnessOf(sines([[-10, 0.3]]))).toBeUndefined();
  });

  it('does not depend on how the samples come', () => {
    const samples = sines([
      [-36, 1],
      [-20, 2],
    ]);
    const meter = createBlockMeter(RATE_HZ);
    const blocks: number[] = [];
    for (let at = 0; at < samples.length; at += 777)
      blocks.push(...meter(samples.subarray(at, at + 777)));
    expect(blocks).toEqual(createBlockMeter(RATE_HZ)(samples));
  });
});
