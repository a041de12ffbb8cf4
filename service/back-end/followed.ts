import { realClock, type Clock } from '../../src/async/clock.ts';

/** Time after which a server that could not tell is asked again. */
const AGAIN_MS = 5_000;

/**
 * Follows what a server tells of itself: `current` asks anew once it is old, and waits for that only where
 * nothing is known yet. What was told stays while the server cannot tell.
 *
 * @param ask what it rejects with is the fault
 */
export const followed = <T>(
  ask: () => Promise<T>,
  freshMs: number,
  clock: Pick<Clock, 'nowMs'> = realClock,
) => {
  let told: T | undefined;
  let fault: unknown;
  let asking: Promise<void> | undefined;
  let againAtMs = -Infinity;
  const refresh = async (): Promise<void> => {
    try {
      told = await ask();
      fault = undefined;
    } catch (error) {
      fault = error;
    }
    againAtMs = clock.nowMs() + (fault === undefined ? freshMs : AGAIN_MS);
  };
  return {
    /**
     * Resolves with what is known; undefined where the server has told nothing. Never rejects.
     *
     * @param isEnough true where the answer under way is not waited for. Default: where the server has told anything
     */
    current: async (isEnough = () => told !== undefined): Promise<T | undefined> => {
      if (clock.nowMs() >= againAtMs)
        asking ??= refresh().finally(() => {
          asking = undefined;
        });
      if (!isEnough()) await asking;
      return told;
    },
    known: (): T | undefined => told,
    /** Returns why the server could not tell when it was asked last. */
    fault: (): unknown => fault,
  };
};
