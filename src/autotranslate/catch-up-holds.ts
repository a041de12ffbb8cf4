import { randomUUID } from 'node:crypto';
import { whenAborted } from '../async/abort.ts';
import { createKeyedMutex } from '../async/locks.ts';
import { realClock, sleep } from '../async/clock.ts';
import { channelKey, type Channel } from '../model/place.ts';
import type { Leases, Tenure } from '../ports/processes.ts';
import type { OwedHistories } from '../store/channels/histories.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { backfillPartition, groupPartition, isBackfill } from '../store/inbox/row.ts';
import type { Scheduler } from './scheduler.ts';

export interface CatchUpHoldsDeps {
  readonly leases: Pick<Leases, 'acquire' | 'isAnyHeld'>;
  readonly owed: OwedHistories;
  readonly scheduler: Pick<Scheduler, 'hold' | 'wake'>;
  readonly now: () => number;
}

/** A hold of a partition, until it ends. */
export interface Hold {
  /** Resolves once it is in effect in every process; never rejects. */
  readonly inEffect: Promise<void>;
  /**
   * Ends it; never rejects.
   *
   * @param isRead false where the history is still owed: the next process that reads it removes the mark
   */
  readonly end: (isRead: boolean) => Promise<void>;
}

/** The hold of a partition by this process, for all who want it. */
interface Shared {
  holders: number;
  /** Resolves once it is in effect in every process, as long as the lease is not lost. */
  readonly inEffect: () => Promise<void>;
  readonly end: () => Promise<void>;
}

/**
 * Time for which what others found in their histories waits where the process that was to read one has died: in it
 * another process connects, and reads.
 */
const OWED_MS = 60_000;
/** Wait before a mark is written again that could not be. */
const AGAIN_MS = 200;

/** The set of the leases by which a partition is held; sets' names end at their first colon. */
const setOf = (partition: string): string => `hold ${partition.replaceAll(':', '/')}`;

/** Creates the holds of partitions, which are in effect in whichever process works on them. */
export const createCatchUpHolds = ({ leases, owed, scheduler, now }: CatchUpHoldsDeps) => {
  const own = new Map<string, Shared>();
  const turns = createKeyedMutex();
  /** Number of this process's holds by channel. */
  const marked = new Map<string, number>();

  const begin = (partition: string): Shared => {
    const here = scheduler.hold(partition);
    const ended = new AbortController();
    const acquire = async (): Promise<Tenure | undefined> => {
      try {
        return await leases.acquire(`${setOf(partition)}:${randomUUID()}`, ended.signal);
      } catch {
        return undefined;
      }
    };
    let acquiring = acquire();
    const keep = async (): Promise<void> => {
      for (;;) {
        const tenure = await acquiring;
        if (!tenure) return;
        await whenAborted(tenure.signal);
        if (ended.signal.aborted) return;
        // It was lost, as by a process that stood still: those who hold go on, and others join them.
        acquiring = acquire();
      }
    };
    void keep();
    return {
      holders: 0,
      inEffect: async () => {
        while (!ended.signal.aborted) {
          const tenure = await acquiring;
          if (!tenure || tenure.isHeld()) return;
          // A lease that has ended is lost as soon as this process sees it.
          await whenAborted(tenure.signal);
        }
      },
      end: async () => {
        ended.abort();
        here[Symbol.dispose]();
        const tenure = await acquiring;
        await tenure?.release();
        scheduler.wake(partition);
      },
    };
  };

  /** Writes a mark, again and again while the database is away; gives up when it would have lapsed. */
  const write = async (run: () => Promise<void>, isOver: () => boolean): Promise<void> => {
    for (const untilMs = now() + OWED_MS; now() < untilMs && !isOver();)
      try {
        await run();
        return;
      } catch {
        await sleep(realClock, AGAIN_MS);
      }
  };

  const markOf = (partition: string, channel: Channel) => {
    const key = `${partition} ${channelKey(channel)}`;
    let isOver = false;
    marked.set(key, (marked.get(key) ?? 0) + 1);
    const count = (by: number): number => {
      const remaining = (marked.get(key) ?? 0) + by;
      if (remaining > 0) marked.set(key, remaining);
      else marked.delete(key);
      return remaining;
    };
    const set = async (): Promise<void> => {
      using _ = await turns.take(key);
      await write(
        () => owed.set(partition, channel, now() + OWED_MS),
        () => isOver,
      );
    };
    return {
      written: set(),
      end: async (isRead: boolean): Promise<void> => {
        isOver = true;
        if (count(-1) > 0 || !isRead) return;
        using _ = await turns.take(key);
        await write(
          () => owed.remove(partition, channel),
          () => marked.has(key),
        );
      },
    };
  };

  return {
    /**
     * Lets no more rows of a partition be claimed until the result ends, because earlier ones of a
     * channel may come. Holds of the same partition are one, which lasts until all have ended.
     *
     * @param channel the one whose history is read where the partition is that of a backfill: it stays on hold if this
     *   process dies before
     */
    hold: (partition: string, channel?: Channel): Hold => {
      const shared = own.get(partition) ?? begin(partition);
      own.set(partition, shared);
      shared.holders += 1;
      const mark = channel && markOf(partition, channel);
      let isOver = false;
      const end = async (isRead: boolean): Promise<void> => {
        if (isOver) return;
        isOver = true;
        await mark?.end(isRead);
        shared.holders -= 1;
        if (shared.holders > 0) return;
        own.delete(partition);
        await shared.end();
      };
      const inEffect = Promise.all([shared.inEffect(), mark?.written]).then(() => undefined);
      return { inEffect, end };
    },
    /** Resolves once this process’s hold of a partition is in effect everywhere; at once where it has none. */
    inEffect: async (partition: string): Promise<void> => own.get(partition)?.inEffect(),
    /** True while some process holds a partition, or has died while it did. */
    isOnHold: async (partition: string): Promise<boolean> =>
      (
        await Promise.all([
          leases.isAnyHeld(setOf(partition)),
          isBackfill(partition) && owed.isOwed(partition),
        ])
      ).includes(true),
  };
};

/** The holds of partitions, by their linked channels; a channel that is not linked has none. */
export const createLinkedHolds = (
  holds: Pick<ReturnType<typeof createCatchUpHolds>, 'hold' | 'inEffect'>,
  watches: Pick<WatchStore, 'of'>,
) => {
  const partitionOf = (channel: Channel): string | undefined => {
    const group = watches.of(channel)?.group;
    return group === undefined ? undefined : groupPartition(group);
  };
  return {
    hold: (channel: Channel): Hold | undefined => {
      const partition = partitionOf(channel);
      if (partition === undefined) return undefined;
      const reported = holds.hold(partition);
      const missed = holds.hold(backfillPartition(partition), channel);
      return {
        inEffect: Promise.all([reported.inEffect, missed.inEffect]).then(() => undefined),
        end: async (isRead) => {
          await Promise.all([missed.end(isRead), reported.end(isRead)]);
        },
      };
    },
    inEffect: async (channel: Channel): Promise<void> => {
      const partition = partitionOf(channel);
      if (partition !== undefined) await holds.inEffect(partition);
    },
  };
};
