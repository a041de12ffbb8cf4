import { createByteReader } from '../../src/audio/bytes.ts';
import { readPages, writePage } from '../../src/audio/container/ogg-page.ts';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { RecognitionEngine } from '../../service/engine.ts';
import { recogniseUpload } from '../../service/recognise-upload.ts';
import type { Vad } from '../../service/recognise-recording.ts';
import { segmentParameters } from '../../service/recognise.ts';
import { createCallRate, createRequestLimiter } from '../../service/request-limiter.ts';
import { createTestClock } from '../fakes/clock.ts';
import { orAborted } from '../../src/async/abort.ts';
import { eventually } from '../fakes/eventually.ts';
import { operatorAccount } from '../../service/keys/account.ts';
import { fixture, sourceOf } from '../src/audio/support.ts';
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
    const input = { audio: [TWO_UTTERANCES], hints: {}, vad: segmentParameters({}) };
    const recognising = recogniseUpload(input, offering('one', engine, limiter));
    await eventually(() => expect([heard, clock.waiting]).toEqual([1, 1]));
    await clock.advance(999);
    expect(heard).toBe(1);
    await clock.advance(1);
    expect(await recognising).toHaveLength(2);
  });
});

/** A recording of so many minutes that a minute of memory holds: it sounds the same in each. */
const recordingOf = (minutes: number): readonly Uint8Array[] => {
  const minute = makeWav(60, [
    [0, 14],
    [16, 40],
    [45, 58],
  ]);
  const [head, sound] = [Buffer.from(minute.subarray(0, 44)), minute.subarray(44)];
  head.writeUInt32LE(36 + minutes * sound.length, 4);
  head.writeUInt32LE(minutes * sound.length, 40);
  return [head, ...Array.from({ length: minutes }, () => sound)];
};

describe('a long recording', () => {
  it('of half an hour is recognised to its end, and is never in memory as a whole', async () => {
    const before = process.memoryUsage().arrayBuffers;
    let mostBytes = 0;
    const engine: RecognitionEngine = {
      longestMs: 28_000,
      recognise: async ({ buffer }) => {
        const bytes = process.memoryUsage().arrayBuffers - before;
        mostBytes = Math.max(mostBytes, bytes, buffer.byteLength);
        return { text: 'hello' };
      },
    };
    const heard = await recogniseUpload(
      { audio: recordingOf(30), hints: {}, vad: 'off' },
      offering('one', engine, createRequestLimiter({ concurrent: 1, waiting: 1 })),
    );
    for (const [at, { startMs }] of heard.entries())
      expect(startMs - (heard[at - 1]?.endMs ?? 0)).toBeLessThanOrEqual(5_000);
    expect(heard.at(-1)?.endMs).toBeGreaterThan(1_798_000);
    expect(mostBytes).toBeLessThan((30 * 60 * 16_000 * 4) / 2);
  });

  it('waits for its speakers to be told apart without keeping others out', async () => {
    const engine: RecognitionEngine = {
      longestMs: 28_000,
      recognise: async () => ({ text: 'hello' }),
    };
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const asked: string[] = [];
    const recognise = (key: string, speakers: boolean) => {
      const context = offering('one', engine, createRequestLimiter({ concurrent: 9, waiting: 9 }));
      const diarise = async (): Promise<never> => {
        asked.push(key);
        return orAborted(Promise.withResolvers<never>().promise, stop.signal);
      };
      return recogniseUpload(
        { audio: [TWO_UTTERANCES], hints: {}, vad: segmentParameters({}), speakers },
        {
          ...context,
          engines: {
            ...context.engines,
            diarisation: async () => ({ longestMs: 60_000, diarise }),
          },
          account: operatorAccount(key),
          signal: stop.signal,
        },
      );
    };
    const waiting = Array.from({ length: 40 }, (_, at) => recognise(`key ${at % 4}`, true));
    for (const each of waiting) each.catch(() => undefined);
    await eventually(() => expect(asked).toHaveLength(1));
    expect(await recognise('key 0', false)).toHaveLength(2);
  });

  it('lets that of another key pass between its pieces', async () => {
    const heard: string[] = [];
    const first = Promise.withResolvers<void>();
    const engineFor = (key: string): RecognitionEngine => ({
      longestMs: 28_000,
      recognise: async () => {
        heard.push(key);
        await first.promise;
        return { text: 'hello' };
      },
    });
    const asked: string[] = [];
    const turns = createRequestLimiter({ concurrent: 1, waiting: 9 });
    const limiter: typeof turns = {
      ...turns,
      admit: (key) => {
        const request = turns.admit(key);
        const turn = (signal: AbortSignal): Promise<Disposable> => {
          asked.push(key ?? '');
          return request.turn(signal);
        };
        return { ...request, turn };
      },
    };
    const input = { audio: [TWO_UTTERANCES], hints: {}, vad: segmentParameters({}) };
    const recognise = (key: string) =>
      recogniseUpload(input, {
        ...offering('one', engineFor(key), limiter),
        account: operatorAccount(key),
      });
    const long = recognise('many');
    await eventually(() => expect(heard).toEqual(['many']));
    const other = recognise('few');
    await eventually(() => expect(asked).toEqual(['many', 'few']));
    first.resolve();
    await Promise.all([long, other]);
    expect(heard.slice(0, 2)).toEqual(['many', 'few']);
  });
});

describe('a recording of a key that pays', () => {
  let asked = 0;
  const recognise = async (vad: Vad, audio: Uint8Array): Promise<readonly number[]> => {
    asked = 0;
    const paid: number[] = [];
    const engine: RecognitionEngine = {
      longestMs: 28_000,
      recognise: async () => {
        asked += 1;
        return { text: 'ha' };
      },
    };
    await recogniseUpload(
      { audio: [audio], hints: {}, vad },
      {
        ...offering('one', engine, createRequestLimiter({ concurrent: 1, waiting: 9 })),
        account: {
          ...operatorAccount('one'),
          charge: ({ amount }) => void paid.push(Math.round(amount / 1_000)),
        },
      },
    );
    return paid;
  };

  it('costs the time that was recognised, whatever was recognised twice', async () => {
    expect(await recognise('off', TWO_UTTERANCES)).toEqual([10]);
    expect(await recognise('on', TWO_UTTERANCES)).toEqual([5]);
  });

  it('costs nothing in silence', async () => {
    expect(await recognise('off', makeWav(10))).toEqual([]);
  });

  it('is refused over its limits with a number, and before an engine is asked', async () => {
    const reader = createByteReader(sourceOf(fixture('vorbis-8k.ogg')).open());
    const [first, ...pages] = await Array.fromAsync(readPages(reader));
    const body = Buffer.from(first!.body);
    body.writeUInt32LE(1, 12);
    const hours = Buffer.concat([{ ...first!, body }, ...pages].map((page) => writePage(page)));
    await expect(recognise('off', hours)).rejects.toMatchObject({
      named: 'ErrAudioTooLarge',
      message: 'audio is too long: it has under 16 bytes a second.',
    });
    expect(asked).toBe(0);
  });

  it('is refused as the client’s where it cannot be read', async () => {
    const rubbish = Buffer.concat([TWO_UTTERANCES.subarray(0, 12), Buffer.from('rubbish')]);
    await expect(recognise('off', rubbish)).rejects.toMatchObject({ named: 'ErrInvalidAudio' });
  });
});
