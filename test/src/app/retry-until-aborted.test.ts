import { expect, test } from 'vitest';
import { retryUntilAborted } from '../../../src/app/retry-until-aborted.ts';
import { AppError } from '../../../src/errors.ts';

const fault = (retryable: boolean): AppError => new AppError('unavailable', 'away', { retryable });

/** Fails in these ways, one after the other, then works; tells how long was waited for each try. */
const run = async (faults: readonly AppError[], stopAt = Infinity) => {
  const [left, waitsMs]: [AppError[], number[]] = [[...faults], []];
  const failed: AppError[] = [];
  const stop = new AbortController();
  let tries = 0;
  const work = async (): Promise<void> => {
    tries += 1;
    const next = left.shift();
    if (next) throw next;
  };
  const sleep = async (ms: number, signal: AbortSignal): Promise<void> => {
    waitsMs.push(ms);
    if (waitsMs.length === stopAt) stop.abort();
    signal.throwIfAborted();
  };
  await retryUntilAborted(work, {
    signal: stop.signal,
    failed: (one) => void failed.push(one),
    sleep,
  });
  return { tries, failed, waitsMs };
};

test('the waits grow to a minute, until it works', async () => {
  const { tries, failed, waitsMs } = await run(Array.from({ length: 7 }, () => fault(true)));
  expect(waitsMs.map((ms) => ms / 1_000)).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  expect([tries, failed.length]).toEqual([8, 7]);
});

test('a wait that the other side asks for is waited', async () => {
  const limited = new AppError('rate-limited', 'too many', {
    retryable: true,
    retryAfterMs: 30_000,
  });
  const { waitsMs } = await run([fault(true), limited, fault(true)]);
  expect(waitsMs).toEqual([1_000, 2_000, 30_000, 8_000]);
});

test('what no further try could mend is told, and not tried again', async () => {
  const { tries, failed } = await run([fault(true), fault(false)]);
  expect(tries).toBe(2);
  expect(failed.map(({ retryable }) => retryable)).toEqual([true, false]);
});

test('called off while it waits, it is not tried any more', async () => {
  const { tries, failed } = await run([fault(true)], 2);
  expect([tries, failed.length]).toEqual([1, 1]);
});
