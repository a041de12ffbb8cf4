import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { ServiceClient } from '../../../../src/api/client.ts';
import { createBatchRecogniser } from '../../../../src/voice/stt/batch-recogniser.ts';
import { createSttPipeline } from '../../../../src/voice/stt/pipeline.ts';
import { ASKER } from '../../../fakes/asker.ts';
import { createTestClock, type TestClock } from '../../../fakes/clock.ts';
import { createRandom } from '../../../fakes/random.ts';
import { bitVad, createSender } from './support.ts';

const PACKET_MS = 20;
/** Time after which people fall silent. */
const TALK_MS = 90_000;

interface Work {
  readonly lengthMs: number;
  readonly signal: AbortSignal;
  readonly done: () => void;
}

/** A recogniser that works on one call at a time, in 1 s and a tenth of its sound, times `factor`. */
const createSlowRecogniser = (clock: TestClock, factor: number, ignoresHangUps: boolean) => {
  const queue: Work[] = [];
  let isBusy = false;
  const next = (): void => {
    const work = queue.shift();
    isBusy = work !== undefined;
    if (!work) return;
    if (work.signal.aborted && !ignoresHangUps) return next();
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      work.done();
      next();
    };
    clock.after(factor * (1_000 + work.lengthMs / 10), end);
    if (!ignoresHangUps) work.signal.addEventListener('abort', end);
  };
  const transcribe: ServiceClient['transcribe'] = async (
    _,
    __,
    { signal, audioMs, deadlineMs },
  ) => {
    const lengthMs = audioMs ?? 0;
    const answered = Promise.withResolvers<void>();
    const ended = signal ?? new AbortController().signal;
    ended.addEventListener('abort', () => answered.reject(ended.reason as Error));
    if (deadlineMs !== undefined)
      clock.after(deadlineMs, () =>
        answered.reject(new AppError('timeout', 'late', { retryable: true })),
      );
    queue.push({ lengthMs, signal: ended, done: answered.resolve });
    if (!isBusy) next();
    await answered.promise;
    return { text: 'we meet at nine', language: 'en', confidence: 0.9, noSpeech: undefined };
  };
  return { transcribe };
};

/** People who talk for a while, and how late their lines came. */
const talk = async (people: number, factor: number, ignoresHangUps: boolean) => {
  const clock = createTestClock();
  const random = createRandom(people);
  const delaysMs: number[] = [];
  const lost: string[] = [];
  const linesOf = new Map<string, number>();
  let toldMs: number | undefined;
  let lastMs = 0;
  const startMs = clock.nowMs();
  const pipeline = createSttPipeline({
    recogniser: createBatchRecogniser(createSlowRecogniser(clock, factor, ignoresHangUps), {
      space: ASKER.space,
      clock,
    }),
    clock,
    listener: {
      transcript: ({ isFinal, text, speakerId, endMs }) => {
        if (!isFinal || text === '') return;
        delaysMs.push(clock.nowMs() - endMs);
        linesOf.set(speakerId, (linesOf.get(speakerId) ?? 0) + 1);
        lastMs = clock.nowMs();
      },
      lost: () => void lost.push('lost'),
      behind: (delayMs) => {
        if (delayMs !== undefined) toldMs ??= delayMs;
      },
    },
    hints: async () => ({ hotwords: [], languages: [] }),
    options: { vad: bitVad() },
  });
  const speakers = Array.from({ length: people }, (_, index) => ({
    from: createSender(`person ${index}`, clock.nowMs()),
    isTalking: false,
    leftMs: 1_000 * (1 + 3 * random()),
  }));
  while (clock.nowMs() - startMs < TALK_MS) {
    for (const speaker of speakers) {
      speaker.leftMs -= PACKET_MS;
      if (speaker.leftMs <= 0) {
        speaker.isTalking = !speaker.isTalking;
        speaker.leftMs = 1_000 * (speaker.isTalking ? 1 + 4 * random() : 2 + 5 * random());
      }
      if (!speaker.isTalking) speaker.from.pause(PACKET_MS);
      else for (const packet of speaker.from.say('voice', 1)) pipeline.packet(packet);
    }
    await clock.advance(PACKET_MS);
  }
  const silentMs = clock.nowMs();
  for (let step = 0; step < 60; step += 1) await clock.advance(1_000);
  await pipeline[Symbol.asyncDispose]();
  const sorted = delaysMs.toSorted((a, b) => a - b);
  return {
    median: sorted[Math.floor(sorted.length / 2)]!,
    lost: lost.length,
    toldMs,
    recoveredMs: lastMs - silentMs,
    lines: [...linesOf.values()],
  };
};

describe.each([
  ['that stops when it is hung up on', false],
  ['that ignores hang-ups', true],
])('a slow recogniser %s', (_, ignoresHangUps) => {
  it.each([
    [1, 2_000],
    [2, 2_500],
    [4, 4_000],
  ])(
    'loses no line of %s who talk, and half of the lines come within %s ms',
    async (people, mostMs) => {
      const { median, lost } = await talk(people, 1, ignoresHangUps);
      expect(lost).toBe(0);
      expect(median).toBeLessThanOrEqual(mostMs);
    },
  );

  it('that is twice as slow loses none, is told of soon, and has caught up soon after the last word', async () => {
    const { lost, toldMs, recoveredMs, lines } = await talk(4, 2, ignoresHangUps);
    expect(lost).toBe(0);
    expect(Math.min(...lines)).toBeGreaterThan(Math.max(...lines) / 2);
    expect(toldMs).toBeLessThanOrEqual(10_000);
    expect(recoveredMs).toBeLessThanOrEqual(16_000);
  });
});
