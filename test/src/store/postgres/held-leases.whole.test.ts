import { describe, expect, it } from 'vitest';
import {
  createDatabaseClock,
  createHeldLeases,
} from '../../../../src/store/postgres/held-leases.ts';
import { realClock } from '../../../../src/async/clock.ts';
import type { Log } from '../../../../src/telemetry/log.ts';

const FORWARD_MS = 3_600_000;

/** A process whose clocks begin at 0, and a database whose clock is a day ahead. */
const start = () => {
  let nowMs = 0;
  let aheadMs = 86_400_000;
  let asleepMs = 0;
  const clock = createDatabaseClock({ nowMs: () => nowMs - asleepMs }, () => nowMs);
  const databaseMs = (): number => nowMs + aheadMs;
  const ask = (tookMs: number, isAsleep = false): void => {
    const note = clock.ask();
    nowMs += tookMs / 2;
    const given = databaseMs();
    nowMs += tookMs / 2;
    if (isAsleep) asleepMs += tookMs;
    note(given);
  };
  /** Asks once in a second. */
  const pass = (seconds: number): void => {
    for (let second = 0; second < seconds; second += 1) {
      ask(10);
      nowMs += 990;
    }
  };
  return {
    ask,
    pass,
    bounds: () => clock.bounds().map((each) => each - databaseMs()),
    set: (byMs: number) => void (aheadMs += byMs),
    sleep: (forMs: number) => {
      nowMs += forMs;
      asleepMs += forMs;
    },
  };
};

describe('the bounds of the database’s time', () => {
  it('lie about it by no more than an answer takes', () => {
    const { pass, bounds } = start();
    pass(6);
    expect(bounds()).toEqual([-5, 5]);
  });

  it('are not known before the time of a lease has passed', () => {
    const { pass, bounds } = start();
    pass(3);
    const [earliestMs = 0, latestMs = 0] = bounds();
    expect(earliestMs).toBeLessThan(-FORWARD_MS);
    expect(latestMs).toBeGreaterThan(FORWARD_MS);
  });

  it.for([FORWARD_MS, -FORWARD_MS])(
    'hold both times for the time of a lease after its clock is set by %i ms',
    (byMs) => {
      const { pass, bounds, set } = start();
      pass(6);
      set(byMs);
      const both = [Math.min(0, -byMs) - 5, Math.max(0, -byMs) + 5];
      pass(4);
      expect(bounds()).toEqual(both);
      pass(2);
      expect(bounds()).toEqual([-5, 5]);
    },
  );

  it('hold the time before its clock was set back while the machine was asleep', () => {
    const { pass, bounds, set, sleep } = start();
    pass(6);
    sleep(10_000);
    set(-5_000);
    expect(bounds()[1]).toBe(5_005);
  });

  it.for([false, true])(
    'are not loosened by an answer that a process reads late, frozen or asleep (%s)',
    (isAsleep) => {
      const { ask, pass, bounds } = start();
      ask(5_000, isAsleep);
      pass(6);
      expect(bounds()).toEqual([-5, 5]);
      ask(5_000, isAsleep);
      pass(3);
      expect(bounds()[0]).toBe(isAsleep ? -5_005 : -5);
    },
  );
});

it('ends the first tenure of a name that is granted again before its end was seen', async () => {
  const lost: string[] = [];
  const released: number[] = [];
  const log = { warn: ({ lease }: { lease: string }) => void lost.push(lease) } as unknown as Log;
  const held = createHeldLeases({
    log,
    clock: realClock,
    wallMs: () => 0,
    release: async (_, epoch) => void released.push(epoch),
  });
  const [first, second] = [1, 2].map((epoch) =>
    held.begin({ name: 'thing:0', epoch }, { untilMs: Infinity, wallUntilMs: Infinity }),
  );
  expect(first!.signal.aborted).toBe(true);
  expect([first!.isHeld(), second!.isHeld()]).toEqual([false, true]);
  expect(lost).toEqual(['thing:0']);
  await first!.release();
  expect([released, second!.isHeld()]).toEqual([[], true]);
});
