import { describe, expect, it } from 'vitest';
import { createAllowance } from '../../service/allowance.ts';
import type { RecognitionEngine } from '../../service/engine.ts';
import { recogniseUpload } from '../../service/recognise-upload.ts';
import { segmentParameters } from '../../service/recognise.ts';
import { createRequestLimiter } from '../../service/request-limiter.ts';
import { createTestClock } from '../fakes/clock.ts';
import { eventually } from '../fakes/eventually.ts';
import { makeWav, offering } from './support.ts';

const TWO_UTTERANCES = makeWav(10, [
  [2, 4],
  [6, 8],
]);

describe('a recording in pieces', () => {
  it('keeps to the engine’s rate with each of them', async () => {
    const clock = createTestClock();
    const calls = createAllowance(clock, { most: 1, perSecond: 1 });
    let heard = 0;
    const engine: RecognitionEngine = {
      longestMs: 28_000,
      recognise: async () => {
        heard += 1;
        return { text: 'hello' };
      },
    };
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1, calls, clock });
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
