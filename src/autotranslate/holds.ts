import { randomUUID } from 'node:crypto';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { Scheduler } from './scheduler.ts';

export interface HoldsDeps {
  readonly leases: Pick<Leases, 'acquire' | 'isAnyHeld'>;
  readonly scheduler: Pick<Scheduler, 'hold' | 'wake'>;
}

/** A hold of a partition, until it is disposed of. */
export interface Hold extends Disposable {
  /** Resolves once every process heeds it; never rejects. */
  readonly heeded: Promise<void>;
}

/** The hold of a partition by this process, for all who want it. */
interface Shared {
  holders: number;
  readonly heeded: Promise<void>;
  readonly end: () => void;
}

/** The set of the leases by which a partition is held; sets' names end at their first colon. */
const setOf = (partition: string): string => `hold ${partition.replaceAll(':', '/')}`;

/** Creates the holds of partitions, which the process that works on them heeds, whichever it is. */
export const createHolds = ({ leases, scheduler }: HoldsDeps) => {
  const own = new Map<string, Shared>();

  const begin = (partition: string): Shared => {
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
      holders: 0,
      heeded: acquired.then(() => undefined),
      end: () => {
        ended.abort();
        here[Symbol.dispose]();
        void acquired.then((tenure) => tenure && end(tenure));
      },
    };
  };

  return {
    /**
     * Lets no more rows of a partition be claimed until the result is disposed of, because earlier
     * ones may come. Holds of the same partition are one, which lasts until all are disposed of.
     */
    hold: (partition: string): Hold => {
      const shared = own.get(partition) ?? begin(partition);
      own.set(partition, shared);
      shared.holders += 1;
      let isOver = false;
      return {
        heeded: shared.heeded,
        [Symbol.dispose]: () => {
          if (isOver) return;
          isOver = true;
          shared.holders -= 1;
          if (shared.holders > 0) return;
          own.delete(partition);
          shared.end();
        },
      };
    },
    /** True while some process holds a partition. */
    isOnHold: (partition: string): Promise<boolean> => leases.isAnyHeld(setOf(partition)),
  };
};
