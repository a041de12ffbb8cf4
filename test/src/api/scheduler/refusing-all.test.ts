import { describe, expect, it } from 'vitest';
import { sleep } from '../../../../src/async/clock.ts';
import { simulateProcesses } from './processes-simulation.ts';
import type { Telling } from './simulation.ts';

/** Time of use before the service refuses everything, and after it. */
const BEFORE_MS = 30_000;
const AFTER_MS = 30_000;

/** Processes that send a line a second each, to a service that refuses everything for a while. */
const drill = async (count: number, awayMs: number, telling: Telling) => {
  let startMs = Infinity;
  const isAway = (nowMs: number): boolean =>
    nowMs >= startMs + BEFORE_MS && nowMs < startMs + BEFORE_MS + awayMs;
  const limits = { perSecond: 1_000, burst: 1_000, telling, isAway };
  const { clock, processes, service } = simulateProcesses(count, limits, { isAlone: count === 1 });
  startMs = clock.nowMs();
  const backMs = startMs + BEFORE_MS + awayMs;
  const sent = Math.floor((BEFORE_MS + awayMs + AFTER_MS / 2) / 1_000);
  const lines = processes.map(async ({ line }) => {
    for (let second = 0; second < sent; second += 1) {
      line();
      await sleep(clock, 1_000);
    }
  });
  await clock.advance(BEFORE_MS + awayMs + AFTER_MS);
  await Promise.all(lines);
  const after = processes.map(({ done }) => done.filter(({ endMs }) => endMs > backMs));
  return {
    lost: sent * count - processes.flatMap(({ done }) => done).length,
    firstMs: Math.min(...after.flatMap((done) => done.map(({ endMs }) => endMs - backMs))),
    waitedForMs: Math.max(
      ...after.flat().map(({ job, endMs }) => endMs - Math.max(backMs, job.atMs)),
    ),
    refused: service.refused,
  };
};

describe('a service that refuses everything for a while', () => {
  const drills = [5_000, 20_000, 60_000].flatMap((awayMs) =>
    (['exactly', 'not at all'] as const).flatMap((telling) =>
      [1, 3].map((count) => [awayMs, telling, count] as const),
    ),
  );
  it.each(drills)(
    'is used at the rate before within two seconds after %i ms, where it tells the wait %s, by %i',
    async (awayMs, telling, count) => {
      const { lost, firstMs, waitedForMs, refused } = await drill(count, awayMs, telling);
      expect(lost).toBe(0);
      expect(firstMs).toBeLessThanOrEqual(2_000);
      expect(waitedForMs).toBeLessThanOrEqual(6_000);
      // It is probed about once a second, by all together.
      expect(refused).toBeLessThanOrEqual((awayMs / 1_000 + 4) * 1.5);
    },
  );
});
