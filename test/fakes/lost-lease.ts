import { expect } from 'vitest';
import { AppError } from '../../src/errors.ts';
import type { WhileHeld } from '../../src/ports/processes.ts';

/** An effect of a lease's holder on what stands on a platform. */
export type Act<Standing> = (standing: Standing, held: WhileHeld) => Promise<unknown>;

/**
 * Creates the functions that do something under a lease which ends after some requests.
 *
 * @param count returns the number of requests so far that people can see the effect of
 */
export const createLostLease = (count: () => number) => {
  /** Does it under a lease that ends after so many requests; resolves with what it threw, and how many were sent. */
  const tryIt = async <Standing>(act: Act<Standing>, standing: Standing, allowed: number) => {
    const before = count();
    const assertHeld = (): void => {
      if (count() - before >= allowed) throw new AppError('cancelled', 'lost');
    };
    const error = await act(standing, { assertHeld }).then(
      () => undefined,
      (thrown: unknown) => thrown as AppError,
    );
    return { error, sent: count() - before };
  };

  return {
    tryIt,
    /** Has the lease end before each of the requests in turn, and expects that no more of them are sent. */
    expectNoMore: async <Standing>(
      act: Act<Standing>,
      stand: () => Promise<Standing>,
    ): Promise<void> => {
      for (let allowed = 0; ; allowed += 1) {
        const { error, sent } = await tryIt(act, await stand(), allowed);
        expect(sent).toBeLessThanOrEqual(allowed);
        if (error?.code === 'cancelled') continue;
        expect(sent).toBeGreaterThan(0);
        break;
      }
    },
  };
};
