import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { speechParts, withPause } from '../../../service/speech/pauses.ts';
import type { Pcm } from '../../../src/audio/pcm.ts';

const RATE_HZ = 8_000;
const samplesIn = (ms: number): number => (ms * RATE_HZ) / 1_000;

/** Silence and sound in turn, each in ms, beginning with silence. */
const sound = (...lengthsMs: readonly number[]): Float32Array =>
  Float32Array.from(
    lengthsMs.flatMap((ms, index) =>
      Array.from({ length: samplesIn(ms) }, () => (index % 2 === 0 ? 0.001 : 0.5)),
    ),
  );

async function* inChunks(samples: Float32Array, length: number): AsyncGenerator<Pcm> {
  for (let at = 0; at < samples.length; at += length)
    yield { samples: samples.subarray(at, at + length), sampleRateHz: RATE_HZ };
}

const heard = async (...args: Parameters<typeof withPause>): Promise<number[]> => {
  const all: number[] = [];
  for await (const { samples } of withPause(...args)) all.push(...samples);
  return all;
};

/** Lengths of silence and sound in turn, in ms, beginning with silence. */
const lengthsOf = (samples: readonly number[]): number[] => {
  const lengths = [0];
  let isSound = false;
  for (const sample of samples) {
    if (sample > 0.1 !== isSound) {
      isSound = !isSound;
      lengths.push(0);
    }
    lengths[lengths.length - 1]! += 1_000 / RATE_HZ;
  }
  return lengths;
};

describe('the parts of a text', () => {
  const pausesOf = (text: string): (number | undefined)[] =>
    speechParts(text).map(({ pauseMs }) => pauseMs);

  it('are its sentences, and parts of very long ones', () => {
    expect(speechParts('One. Two.').map(({ text }) => text)).toEqual(['One. ', 'Two.']);
    const parts = speechParts('word '.repeat(200));
    expect(parts.length).toBeGreaterThan(3);
    expect(parts.map(({ text }) => text).join('')).toBe('word '.repeat(200));
  });

  it('have a pause after each sentence, and a longer one after each line', () => {
    expect(pausesOf('One. Two! Three?')).toEqual([250, 250, 250]);
    expect(pausesOf('A list:\n- one\n- two\nThe end.\n')).toEqual([500, 500, 500, 500]);
    expect(pausesOf('一つ。二つ。')).toEqual([250, 250]);
  });

  it('have none within a sentence, nor after the start of one', () => {
    expect(pausesOf('A part of a')).toEqual([undefined]);
    expect(pausesOf(`${'word '.repeat(90)}word. Next.`)).toEqual([undefined, 250, 250]);
  });
});

describe('a part with its pause', () => {
  it.each([
    ['too little silence', sound(0, 100, 20)],
    ['no silence', sound(0, 100)],
    ['too much silence', sound(0, 100, 900)],
    ['silence before it', sound(300, 100, 140)],
  ])('has as much silence as is wanted, with %s of the engine', async (_, samples) => {
    expect(lengthsOf(await heard(inChunks(samples, 50), 250, true))).toEqual([0, 100, 250]);
  });

  it('keeps the silence within it, and around it within a sentence', async () => {
    const samples = sound(80, 100, 600, 100, 140);
    expect(lengthsOf(await heard(inChunks(samples, 50), 500, true))).toEqual([
      0, 100, 600, 100, 500,
    ]);
    expect(await heard(inChunks(samples, 50), undefined, false)).toEqual([...samples]);
  });

  it('that is silent is only its pause', async () => {
    expect(lengthsOf(await heard(inChunks(sound(100), 50), 250, true))).toEqual([250]);
  });

  it('is the same however its samples come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 8 }),
        fc.integer({ min: 1, max: 3_000 }),
        fc.option(fc.constantFrom(250, 500), { nil: undefined }),
        fc.boolean(),
        async (lengthsMs, chunk, pauseMs, startsAnew) => {
          const samples = sound(...lengthsMs);
          const whole = await heard(inChunks(samples, samples.length || 1), pauseMs, startsAnew);
          expect(await heard(inChunks(samples, chunk), pauseMs, startsAnew)).toEqual(whole);
        },
      ),
    );
  });
});
