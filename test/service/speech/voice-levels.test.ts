import { describe, expect, it } from 'vitest';
import { createVoiceLevels } from '../../../service/speech/voice-levels.ts';
import { createBlockMeter, integratedLoudness } from '../../../src/audio/loudness.ts';
import type { Pcm } from '../../../src/audio/pcm.ts';

const RATE_HZ = 24_000;

/** A sine that swells and falls like syllables. */
const speech = (peak: number, seconds: number): Float32Array =>
  Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => {
    const swell = Math.sin((Math.PI * 4 * at) / RATE_HZ) ** 2;
    return peak * swell * Math.sin((2 * Math.PI * 440 * at) / RATE_HZ);
  });

async function* inChunks(samples: Float32Array, length: number): AsyncGenerator<Pcm> {
  for (let at = 0; at < samples.length; at += length)
    yield { samples: samples.subarray(at, at + length), sampleRateHz: RATE_HZ };
}

const createListener = () => {
  const levels = createVoiceLevels();
  /** Listens to a sentence; its samples come `length` at a time. */
  return async (voiceId: string, samples: Float32Array, length = samples.length) => {
    const all: number[] = [];
    for await (const part of levels.level(voiceId, inChunks(samples, length)))
      all.push(...part.samples);
    return Float32Array.from(all);
  };
};

const loudnessOf = (samples: Float32Array): number =>
  integratedLoudness(createBlockMeter(RATE_HZ)(samples))!;
const peakOf = (samples: Float32Array): number => Math.max(...samples.map(Math.abs));

describe('voices', () => {
  it('are equally loud from their first sentence on', async () => {
    const hear = createListener();
    for (const peak of [0.08, 0.15, 0.3, 0.6])
      expect(loudnessOf(await hear(`voice ${peak}`, speech(peak, 3)))).toBeCloseTo(-20, 1);
  });

  it('that come as a stream are from the second sentence on', async () => {
    const hear = createListener();
    const quiet = speech(0.1, 3);
    expect(await hear('stream', quiet, 480)).toEqual(quiet);
    expect(loudnessOf(await hear('stream', quiet, 480))).toBeCloseTo(-20, 1);
  });

  it('keep what is loud and quiet in what they say', async () => {
    const hear = createListener();
    for (let sentence = 0; sentence < 4; sentence += 1) await hear('one', speech(0.2, 3));
    const [loud, quiet] = [await hear('one', speech(0.2, 3)), await hear('one', speech(0.1, 3))];
    expect(loudnessOf(loud) - loudnessOf(quiet)).toBeCloseTo(6.02, 1);
  });

  it('stay below full scale, and are as loud as others all the same', async () => {
    const hear = createListener();
    const samples = speech(0.1, 3);
    for (let at = RATE_HZ; at < RATE_HZ + 8; at += 1) samples[at] = 0.9;
    const levelled = await hear('click', samples);
    expect(peakOf(levelled)).toBeCloseTo(10 ** (-2 / 20), 5);
    expect(loudnessOf(levelled)).toBeCloseTo(-20, 0);
  });

  it('that say nothing stay as they are', async () => {
    const hear = createListener();
    expect(peakOf(await hear('silent', new Float32Array(RATE_HZ)))).toBe(0);
    expect(await hear('short', speech(0.1, 0.3))).toEqual(speech(0.1, 0.3));
  });
});
