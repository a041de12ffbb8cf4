import { orAborted } from '../../src/async/abort.ts';
import { realClock, type Clock } from '../../src/async/clock.ts';

/**
 * Longest wait of a slice for the first parts of others. A slice is as long, so that even under many
 * short requests a long one goes on as fast as it is listened to.
 */
const LONGEST_WAIT_MS = 50;

/** The requests whose first part is being made: all else waits for them a little. */
export interface FirstParts {
  /** Counts one more until the result is disposed of. */
  begin(): Disposable;
  /** Resolves when there is none, or after a moment. Rejects with the signal's reason. */
  passed(signal: AbortSignal): Promise<void>;
}

export const createFirstParts = (clock: Pick<Clock, 'after'> = realClock): FirstParts => {
  let count = 0;
  let none = Promise.withResolvers<void>();
  return {
    begin: () => {
      count += 1;
      let isCounted = true;
      return {
        [Symbol.dispose]: () => {
          if (!isCounted) return;
          isCounted = false;
          count -= 1;
          if (count > 0) return;
          none.resolve();
          none = Promise.withResolvers();
        },
      };
    },
    passed: async (signal) => {
      if (count === 0) return;
      const late = Promise.withResolvers<void>();
      const cancel = clock.after(LONGEST_WAIT_MS, late.resolve);
      await orAborted(Promise.race([none.promise, late.promise]), signal).finally(cancel);
    },
  };
};
