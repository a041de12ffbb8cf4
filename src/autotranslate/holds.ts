import { randomUUID } from 'node:crypto';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { Scheduler } from './scheduler.ts';

export interface HoldsDeps {
  readonly leases: Pick<Leases, 'acquire' | 'isAnyHeld'>;
  readonly scheduler: Pick<Scheduler, 'hold' | 'wake'>;
}

/** The set of the leases by which a partition is held; sets' names end at their first colon. */
const setOf = (partition: string): string => `hold ${partition.replaceAll(':', '/')}`;

/** Creates the holds of partitions, which the process that works on them heeds, whichever it is. */
export const createHolds = ({ leases, scheduler }: HoldsDeps) => ({
  /**
   * Lets no more rows of a partition be claimed until the result is disposed of, because earlier
   * ones may come.
   */
  hold: (partition: string): Disposable => {
    const here = scheduler.hold(partition);
    const ended = new AbortController();
    const end = async (tenure: Tenure): Promise<void> => {
      await tenure.release();
      scheduler.wake(partition);
    };
    const acquire = async (): Promise<Tenure | undefined> => {
      try {
        return await leases.acquire(`${setOf(partition)}:${randomUUID()}`, ended.signal);
      } catch {
        return undefined;
      }
    };
    const acquired = acquire();
    return {
      [Symbol.dispose]: () => {
        ended.abort();
        here[Symbol.dispose]();
        void acquired.then((tenure) => tenure && end(tenure));
      },
    };
  },
  /** True while some process holds a partition. */
  isOnHold: (partition: string): Promise<boolean> => leases.isAnyHeld(setOf(partition)),
});
