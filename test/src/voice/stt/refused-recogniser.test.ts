import { describe, expect, it } from 'vitest';
import { createRequestScheduler } from '../../../../src/api/scheduler/scheduler.ts';
import { serviceError } from '../../../../src/api/service-error.ts';
import { sleep } from '../../../../src/async/clock.ts';
import {
  createRecognitionQueue,
  type RecognitionTask,
} from '../../../../src/voice/stt/recognition-queue.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { simulateService, type Telling } from '../../api/scheduler/simulation.ts';

const LINES = 64;
const EVERY_MS = 900;
const BEFORE_MS = 10_000;
const DEADLINE_MS = 45_000;

/** Captions of a room while the service refuses everything for a time, with the client's way of asking. */
const drill = async (awayMs: number, telling: Telling) => {
  const clock = createTestClock();
  const startMs = clock.nowMs();
  const backMs = startMs + BEFORE_MS + awayMs;
  const service = simulateService(clock, {
    perSecond: 1_000,
    burst: 1_000,
    serviceMs: 300,
    telling,
    isAway: (nowMs) => nowMs >= startMs + BEFORE_MS && nowMs < backMs,
  });
  const scheduler = createRequestScheduler({ clock, random: () => 0.5 });
  const queue = createRecognitionQueue<string>(clock, {
    deadlineMs: DEADLINE_MS,
    atOnce: 8,
    mostWaiting: 100,
  });
  const done: { readonly toldMs: number; readonly isLost: boolean; readonly addedMs: number }[] =
    [];
  const attempt = async (
    leftMs: number,
    signal: AbortSignal,
    underWay: (isSent: boolean) => void,
  ): Promise<string> => {
    const endsMs = clock.nowMs() + leftMs;
    for (let wasRefused = false; ;) {
      const asked = { lane: 'live', space: 'x', signal, wasRefused } as const;
      underWay(false);
      const permit = await scheduler.admit({ ...asked, leftMs: endsMs - clock.nowMs() });
      underWay(true);
      const outcome = await service.request();
      permit.settle(outcome);
      if (outcome.kind === 'answered') return 'a line';
      const waitMs = 'retryAfterMs' in outcome ? outcome.retryAfterMs : undefined;
      if (clock.nowMs() + (waitMs ?? 0) >= endsMs)
        throw serviceError(429, waitMs, '', { isOwn: false, hide: (text) => text });
      wasRefused = true;
    }
  };
  const taskOf = (ownerId: string): RecognitionTask<string> => {
    const stop = new AbortController();
    const addedMs = clock.nowMs();
    return {
      ownerId,
      lengthMs: 2_000,
      attempt: async (leftMs, signal, underWay) =>
        attempt(leftMs, AbortSignal.any([stop.signal, signal]), underWay),
      delayed: () => {},
      stop: (reason) => stop.abort(reason),
      done: ({ error }) =>
        void done.push({ toldMs: clock.nowMs(), isLost: error !== undefined, addedMs }),
    };
  };
  const speak = async (): Promise<void> => {
    for (let line = 0; line < LINES; line += 1) {
      queue.add(taskOf(`speaker ${line % 4}`));
      await sleep(clock, EVERY_MS);
    }
  };
  const spoken = speak();
  for (let passedMs = 0; passedMs < LINES * EVERY_MS + 60_000; passedMs += 100) {
    await clock.advance(100);
    queue.tick(clock.nowMs());
  }
  await spoken;
  const shown = done.filter(({ isLost }) => !isLost);
  const after = shown.filter(({ toldMs }) => toldMs >= backMs);
  const lastMs = Math.max(
    ...shown.map(({ toldMs, addedMs }) => toldMs - Math.max(addedMs, backMs)),
  );
  return {
    done: done.length,
    // The others were too old when the service was back.
    lost: done.filter(({ isLost, addedMs }) => isLost && backMs - addedMs < DEADLINE_MS - 4_000)
      .length,
    firstMs: Math.min(...after.map(({ toldMs }) => toldMs)) - backMs,
    lastMs,
  };
};

describe('captions while the service refuses everything for a while', () => {
  const drills = [5_000, 20_000, 60_000].flatMap((awayMs) =>
    (['exactly', 'not at all'] as const).map((telling) => [awayMs, telling] as const),
  );
  it.each(drills)(
    'lose nothing that is waited for and go on within two seconds, after %i ms and told %s',
    async (awayMs, telling) => {
      const { done, lost, firstMs, lastMs } = await drill(awayMs, telling);
      expect([done, lost]).toEqual([LINES, 0]);
      expect(firstMs).toBeLessThanOrEqual(2_300);
      expect(lastMs).toBeLessThanOrEqual(10_000);
    },
  );
});
