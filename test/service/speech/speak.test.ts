import { describe, expect, it } from 'vitest';
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
  it('is made in a calm way', async () => {
    const clock = createTestClock();
    const spoken: string[] = [];
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    await using spool = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }).open();
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
      expect(spoken).toHaveLength(part);
      await clock.advance((1_000 * (PART_SECONDS + PAUSE_SECONDS)) / 8);
    }
    await speaking;
  });

  it('is made at once where the client waits for the whole', async () => {
    const spoken: string[] = [];
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    await using spool = createSpools({ memoryBytes: 1e6, totalBytes: 1e7, most: 1 }).open();
    await speakInto(
      spool,
      order(spoken, false),
      limiter.admit(),
      NO_EVENTS,
      signal,
      createTestClock(),
    );
    expect(spoken).toHaveLength(3);
  });
});

describe('what waits for the first parts of others', () => {
  it('goes on when they are made, or after a moment', async () => {
    const clock = createTestClock();
    const firstParts = createFirstParts(clock);
    await firstParts.passed(signal);
    const first = firstParts.begin();
    let passed = 0;
    const wait = async (): Promise<void> => {
      await firstParts.passed(signal);
      passed += 1;
    };
    const waiting = wait();
    await new Promise(setImmediate);
    expect(passed).toBe(0);
    first[Symbol.dispose]();
    await waiting;
    using _ = firstParts.begin();
    const late = wait();
    await clock.advance(60);
    await late;
    expect(passed).toBe(2);
  });
});
