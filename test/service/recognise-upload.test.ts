import { describe, expect, it } from 'vitest';
import type { RecognitionEngine } from '../../service/engine.ts';
import { recogniseUpload } from '../../service/recognise-upload.ts';
import { plainReply, segmentParameters } from '../../service/recognise.ts';
import { createCallRate, createRequestLimiter } from '../../service/request-limiter.ts';
import { createTestClock } from '../fakes/clock.ts';
import { eventually } from '../fakes/eventually.ts';
import { operatorAccount } from '../../service/keys/account.ts';
import { makeWav, offering } from './support.ts';

const TWO_UTTERANCES = makeWav(10, [
  [2, 4],
  [6, 8],
]);

describe('a recording in pieces', () => {
  it('keeps to the engine’s rate with each of them', async () => {
    const clock = createTestClock();
    const rate = createCallRate(clock, { most: 1, perSecond: 1 });
    let heard = 0;
    const engine: RecognitionEngine = {
      longestMs: 28_000,
      recognise: async () => {
        heard += 1;
        return { text: 'hello' };
      },
    };
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1, rate, clock });
    const input = {
      audio: [TWO_UTTERANCES],
      format: 'wav',
      isDecodedHere: false,
      hints: {},
      speech: segmentParameters({}),
    } as const;
    const recognising = recogniseUpload(input, offering('one', engine, limiter));
    await eventually(() => expect([heard, clock.waiting]).toEqual([1, 1]));
    await clock.advance(999);
    expect(heard).toBe(1);
    await clock.advance(1);
    expect(await recognising).toHaveLength(2);
  });
});

describe('a recording that an engine reads as a file', () => {
  /** Recognises recordings at the same time, each with a key that pays; tells what happened. */
  const recognise = async (...recordings: readonly Uint8Array[]): Promise<readonly string[]> => {
    const events: string[] = [];
    const engine: RecognitionEngine = {
      longestMs: 28_000,
      recognise: async () => ({ text: 'hello' }),
      recogniseFile: async () => {
        events.push('heard');
        return { text: 'hello', confidence: 0.5 };
      },
    };
    const context = {
      ...offering('one', engine, createRequestLimiter({ concurrent: 1, waiting: 9 })),
      account: {
        ...operatorAccount('one'),
        isMetered: true,
        charge: ({ amount }: { readonly amount: number }) =>
          void events.push(`${Math.round(amount / 10_000)}0 s`),
      },
    };
    const file = { format: 'wav', isDecodedHere: false, hints: {}, speech: undefined } as const;
    const heard = recordings.map(async (recording) => {
      const chunks = [recording];
      return recogniseUpload({ ...file, audio: chunks }, context);
    });
    for (const spans of await Promise.all(heard))
      expect(plainReply(spans, {})).toMatchObject({ text: 'hello', confidence: 0.5 });
    return events;
  };

  it('is measured once the engine is free for others', async () => {
    const recording = makeWav(60, [[0, 60]]);
    expect(await recognise(recording, recording)).toEqual(['heard', 'heard', '60 s', '60 s']);
  });

  it('costs its whole length, although it is too long to decode here', async () => {
    const fiveHours = makeWav(18_000, [[0, 60]], 1_000);
    expect(await recognise(fiveHours)).toEqual(['heard', '18000 s']);
  });

  it('costs its whole length, although it says that it is shorter', async () => {
    const recording = makeWav(60, [[0, 60]]);
    recording.writeUInt32LE(10 * 32_000, 40);
    expect(await recognise(recording)).toEqual(['heard', '60 s']);
  });

  it('costs a length by its size where it cannot be read here', async () => {
    expect(await recognise(Buffer.alloc(160_000, 1))).toEqual(['heard', '10 s']);
  });
});
