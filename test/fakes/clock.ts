import { realClock, type Clock } from '../../src/async/clock.ts';
import { createEvents, type Event } from './virtual-time.ts';

/** Time that stands still but for `advance`. */
export interface TestClock extends Clock {
  /** Lets time pass: what is due runs at its moment and in its order, promises between included. */
  advance(ms: number): Promise<void>;
  /** Callbacks that still wait. */
  readonly waiting: number;
}

/** Long enough for chains of promises that a callback sets off. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
};

export const createTestClock = (startMs = 1_000_000): TestClock => {
  let now = startMs;
  let given = 0;
  const timers = createEvents();
  const waiting = new Set<Event>();
  return {
    nowMs: () => now,
    after: (delayMs, run) => {
      const timer = { atMs: now + Math.max(0, delayMs), number: given, run };
      given += 1;
      timers.add(timer);
      waiting.add(timer);
      return () => void waiting.delete(timer);
    },
    advance: async (ms) => {
      const until = now + ms;
      await settle();
      for (;;) {
        const next = timers.first();
        if (!next || next.atMs > until) break;
        timers.shift();
        if (!waiting.delete(next)) continue;
        now = next.atMs;
        next.run();
        await settle();
      }
      now = until;
    },
    get waiting() {
      return waiting.size;
    },
  };
};

/** Time that stands still until somebody waits, and then has passed at once. */
export interface HastyClock extends Clock {
  ms: number;
}

/** @param passed is told of each wait */
export const createHastyClock = (passed: (ms: number) => void = () => {}): HastyClock => {
  const clock: HastyClock = {
    ms: 0,
    nowMs: () => clock.ms,
    after: (delayMs, run) => {
      clock.ms += delayMs;
      passed(delayMs);
      const timer = setImmediate(run);
      return () => clearImmediate(timer);
    },
  };
  return clock;
};

/** Longer waits than this are time-outs. */
const TIME_OUT_MS = 2_500;

/** The real clock without its time-outs, which a busy machine would reach. */
export const patientClock: Clock = {
  nowMs: realClock.nowMs,
  after: (delayMs, run) =>
    delayMs > TIME_OUT_MS ? () => undefined : realClock.after(delayMs, run),
};

/** Longest step of real time that counts: in a longer one, a busy machine let this process wait. */
const LONGEST_STEP_MS = 10;
const TICK_MS = 4;

/**
 * Real time, so many times faster, without the moments in which a busy machine lets this process wait:
 * they would be minutes.
 */
export const createFastClock = (speed: number): Clock => {
  let seenMs = realClock.nowMs();
  let atMs = seenMs * speed;
  const nowMs = (): number => {
    const realMs = realClock.nowMs();
    atMs += speed * Math.min(LONGEST_STEP_MS, realMs - seenMs);
    seenMs = realMs;
    return atMs;
  };
  setInterval(nowMs, TICK_MS).unref();
  return {
    nowMs,
    after: (delayMs, run) => {
      const dueMs = nowMs() + delayMs;
      let cancel = (): void => undefined;
      const wait = (leftMs: number): void => {
        cancel = realClock.after(leftMs / speed, () => {
          const moreMs = dueMs - nowMs();
          if (moreMs > 0) wait(moreMs);
          else run();
        });
      };
      wait(delayMs);
      return () => cancel();
    },
  };
};
