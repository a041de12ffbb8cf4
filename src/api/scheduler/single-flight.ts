import type { Clock } from '../../async/clock.ts';

export interface SingleFlightDeps {
  readonly clock: Clock;
  /** Asks once. What it rejects with is passed over: it is asked again like any other time. */
  readonly askOnce: () => Promise<void>;
  /** Called after each; returns true where the next may follow at once. */
  readonly asked: () => boolean;
}

/** Creates what asks for something, once at a time. */
export const createSingleFlight = ({ clock, askOnce, asked }: SingleFlightDeps) => {
  let isAsking = false;
  let asksAgain = false;
  let earliestMs = -Infinity;
  let cancelWait: (() => void) | undefined;

  /** Asks at once, or again after what is being asked. */
  const ask = (): void => {
    if (isAsking) {
      asksAgain = true;
      return;
    }
    isAsking = true;
    asksAgain = false;
    const end = (): void => {
      isAsking = false;
      if (asked() && asksAgain) ask();
    };
    askOnce().then(end, end);
  };

  /** Asks when its time has come, where it is still wanted then; replaces what was planned. */
  const askInTime = (isWanted: () => boolean): void => {
    cancelWait?.();
    cancelWait = undefined;
    if (isAsking || !isWanted()) return;
    const waitMs = earliestMs - clock.nowMs();
    if (waitMs <= 0) ask();
    else cancelWait = clock.after(Math.ceil(waitMs), () => askInTime(isWanted));
  };

  return {
    ask,
    askInTime,
    /** Sets the time before which nothing is asked in time. */
    notBefore: (atMs: number): void => {
      earliestMs = atMs;
    },
  };
};
