import { describe, expect, it } from 'vitest';
import { orAborted } from '../../../src/async/abort.ts';
import type { SpeechEngine } from '../../../service/engine.ts';
import { createRequestLimiter } from '../../../service/request-limiter.ts';
import { createFirstParts, speakInto, type SpeechOrder } from '../../../service/speech/speak.ts';
import { createSpools } from '../../../service/speech/spool.ts';
import { createTestClock } from '../../fakes/clock.ts';

const signal = new AbortController().signal;
const RATE_HZ = 8_000;
const PART_SECONDS = 16;
const PAUSE_SECONDS = 0.25;
const NO_EVENTS = { onAudio: () => {}, charge: () => {} };

const engineOf = (spoken: string[]): SpeechEngine => ({
  voices: async () => [],
  speak: async ({ text }) => {
    spoken.push(text);
    return {
      sampleRateHz: RATE_HZ,
      pcm: (async function* () {
        yield new Float32Array(PART_SECONDS * RATE_HZ).fill(0.25);
      })(),
    };
  },
});

const order = (spoken: string[], stream: boolean): SpeechOrder => ({
  engine: engineOf(spoken),
  voiceId: 'x',
  text: 'One two. Three four. Five six.',
  temperature: undefined,
  speed: 1,
  format: 'pcm',
  sampleRateHz: RATE_HZ,
  stream,
});

describe('a streamed reply that is far ahead of its listener', () => {
  it('is made in a calm way while others are served', async () => {
    const clock = createTestClock();
    const spoken: string[] = [];
    const limiter = createRequestLimiter({ concurrent: 2, waiting: 1 });
    using _ = await limiter.acquire(signal, 'another');
    await using spool = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }).open('a');
    const speaking = speakInto(
      spool,
      order(spoken, true),
      limiter.admit(),
      NO_EVENTS,
      signal,
      clock,
    );
    for (let part = 1; part <= 3; part += 1) {
      await expect.poll(() => clock.waiting).toBe(1);
      expect(spoken).toHaveLength(Math.min(part + 1, 3));
      await clock.advance((1_000 * (PART_SECONDS + PAUSE_SECONDS)) / 8);
    }
    await speaking;
  });

  it.each([
    { what: 'where nobody else is served', others: 0, stream: true },
    { what: 'where the client waits for the whole', others: 1, stream: false },
  ])('is made at once $what', async ({ others, stream }) => {
    const spoken: string[] = [];
    const limiter = createRequestLimiter({ concurrent: 2, waiting: 1 });
    if (others > 0) await limiter.acquire(signal, 'another');
    await using spool = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }).open('a');
    await speakInto(
      spool,
      order(spoken, stream),
      limiter.admit(),
      NO_EVENTS,
      signal,
      createTestClock(),
    );
    expect(spoken).toHaveLength(3);
  });
});

describe('the parts of a text', () => {
  /** An engine whose parts wait until they are let go. */
  const waitingEngine = () => {
    const begun: string[] = [];
    const ended: string[] = [];
    const gates: PromiseWithResolvers<void>[] = [];
    const engine: SpeechEngine = {
      voices: async () => [],
      speak: async ({ text }, until) => {
        const gate = Promise.withResolvers<void>();
        gates.push(gate);
        begun.push(text.trim());
        return {
          sampleRateHz: RATE_HZ,
          pcm: (async function* () {
            try {
              await orAborted(gate.promise, until);
              yield new Float32Array(RATE_HZ).fill(0.25);
            } finally {
              ended.push(text.trim());
            }
          })(),
        };
      },
    };
    return { engine, begun, ended, release: (at: number) => gates[at]?.resolve() };
  };

  it('are made while the one before is made, not more than one ahead', async () => {
    const { engine, begun, release } = waitingEngine();
    const limiter = createRequestLimiter({ concurrent: 4, waiting: 1 });
    await using spool = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }).open('a');
    const lengths: number[] = [];
    const onAudio = (audioMs: number): void => void lengths.push(audioMs);
    const speaking = speakInto(
      spool,
      { ...order([], false), engine },
      limiter.admit(),
      { ...NO_EVENTS, onAudio },
      signal,
    );
    await expect.poll(() => begun).toEqual(['One two.', 'Three four.']);
    release(1);
    await new Promise(setImmediate);
    expect(begun).toHaveLength(2);
    expect(lengths).toEqual([]);
    release(0);
    await expect.poll(() => begun).toHaveLength(3);
    release(2);
    await speaking;
    expect(lengths).toHaveLength(3);
  });

  it('are all ended, and not charged, when nobody listens any more', async () => {
    const { engine, begun, ended } = waitingEngine();
    const limiter = createRequestLimiter({ concurrent: 2, waiting: 1 });
    await using spool = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }).open('a');
    const leaving = new AbortController();
    const charged: string[] = [];
    const speaking = speakInto(
      spool,
      { ...order([], false), engine },
      limiter.admit(),
      { ...NO_EVENTS, charge: (part) => void charged.push(part) },
      leaving.signal,
    );
    await expect.poll(() => begun).toHaveLength(2);
    leaving.abort();
    await expect(speaking).rejects.toThrow();
    await expect.poll(() => ended.toSorted()).toEqual(['One two.', 'Three four.']);
    expect(charged).toEqual([]);
    await limiter.acquire(signal);
    await limiter.acquire(signal);
  });
});

describe('what waits for the first parts of its key', () => {
  it('goes on when they are made, or after a moment; those of others it does not wait for', async () => {
    const clock = createTestClock();
    const firstParts = createFirstParts(clock);
    await firstParts.passed('a', signal);
    const first = firstParts.begin('a');
    await firstParts.passed('b', signal);
    let passed = 0;
    const wait = async (): Promise<void> => {
      await firstParts.passed('a', signal);
      passed += 1;
    };
    const waiting = wait();
    await new Promise(setImmediate);
    expect(passed).toBe(0);
    first[Symbol.dispose]();
    await waiting;
    using _ = firstParts.begin('a');
    const late = wait();
    await clock.advance(60);
    await late;
    expect(passed).toBe(2);
  });
});

describe('Ogg of one key', () => {
  it('leaves encoders to another, however many replies are not made yet', async () => {
    const stop = new AbortController();
    const hanging: SpeechEngine = {
      voices: async () => [],
      speak: async () => ({
        sampleRateHz: RATE_HZ,
        pcm: (async function* () {
          yield new Float32Array(RATE_HZ);
          await new Promise((_, reject) => {
            stop.signal.addEventListener('abort', () => reject(stop.signal.reason as Error));
          });
        })(),
      }),
    };
    const limiter = createRequestLimiter({ concurrent: 100, waiting: 1 });
    const spools = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 100 });
    const speakOgg = (engine: SpeechEngine, key: string): Promise<void> =>
      speakInto(
        spools.open(key),
        { ...order([], true), engine, text: 'One.', format: 'ogg' },
        limiter.admit(key),
        NO_EVENTS,
        stop.signal,
      );
    const many = Array.from({ length: 20 }, () => speakOgg(hanging, 'many'));
    await new Promise(setImmediate);
    await speakOgg(engineOf([]), 'few');
    stop.abort(new Error('over'));
    for (const { status } of await Promise.allSettled(many)) expect(status).toBe('rejected');
  });
});
