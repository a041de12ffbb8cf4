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
