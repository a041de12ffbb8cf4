import { whenAborted } from '../../async/abort.ts';
import { createLru } from '../../async/lru.ts';
import { keyOf, messageKey, type Space } from '../../model/place.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { groupOf, isFor, latePartition, type Row } from '../../store/inbox/row.ts';
import type { Prepared } from '../prepare/prepared.ts';

/** State of a late channel. */
interface Late {
  /** Number of times that messages were passed on to it. */
  passes: number;
  /** Messages that are being passed on. */
  passing: number;
  /** Work in it that nobody waits for any more. */
  readonly underWay: Set<Promise<unknown>>;
}

/** The late channels of a group, by their partitions. */
interface Group {
  readonly late: Map<string, Late>;
  readonly read: Promise<void>;
}

/** Results that are kept for messages that were passed on, so that none is paid for twice. */
const MOST_KEPT = 500;

const keptKey = (to: string, { ref }: Pick<Row, 'ref'>): string => `${to} ${messageKey(ref)}`;

export type LateTargets = ReturnType<typeof createLateTargets>;

/**
 * Knows which of linked channels are late: messages wait for them in a partition of their own, so that no other channel
 * waits. A later message must not overtake those, and waits there too until none is left. All partitions of a group have
 * one slot, so that one process knows it.
 */
export const createLateTargets = (inbox: Pick<InboxStore, 'lateIn'>) => {
  const tenures = new WeakMap<Tenure, Map<string, Group>>();
  const kept = createLru<string, Prepared>(MOST_KEPT);

  const groupsUnder = (tenure: Tenure): Map<string, Group> => {
    const groups = tenures.get(tenure) ?? new Map<string, Group>();
    tenures.set(tenure, groups);
    return groups;
  };

  const begin = (group: string, tenure: Tenure): Group => {
    const late: Group['late'] = new Map();
    const read = async (): Promise<void> => {
      for (const partition of await inbox.lateIn(group)) open(late, partition);
    };
    const begun = { late, read: read() };
    const groups = groupsUnder(tenure);
    groups.set(group, begun);
    begun.read.catch(() => groups.get(group) === begun && groups.delete(group));
    return begun;
  };

  const open = (late: Group['late'], partition: string): Late => {
    const one = late.get(partition) ?? { passes: 0, passing: 0, underWay: new Set() };
    late.set(partition, one);
    return one;
  };

  const of = (group: string, tenure: Tenure): Group =>
    groupsUnder(tenure).get(group) ?? begin(group, tenure);

  return {
    /** Reads which channels of a group are late, where that is not known yet. */
    read: (group: string, tenure: Tenure): Promise<void> => of(group, tenure).read,
    /** True where messages have to wait for a channel behind others; `read` comes first. */
    isLate: (group: string, to: string, tenure: Tenure): boolean =>
      of(group, tenure).late.has(latePartition(group, to)),
    /**
     * Begins to pass messages on to a channel, until the result is disposed of.
     *
     * @param work that in the channel which goes on: what waits for the channel waits for it. It must not reject
     */
    passOn: (group: string, to: string, tenure: Tenure, work?: Promise<unknown>): Disposable => {
      const late = open(of(group, tenure).late, latePartition(group, to));
      late.passes += 1;
      late.passing += 1;
      if (work) {
        late.underWay.add(work);
        void work.then(() => late.underWay.delete(work));
      }
      return { [Symbol.dispose]: () => void (late.passing -= 1) };
    },
    /**
     * Begins a look at what waits for a late channel, once no work in it is under way. Resolves with a function to be called
     * where nothing waits: then the channel is late no more, unless messages were passed on since.
     */
    look: async (partition: string, tenure: Tenure): Promise<() => void> => {
      const { group = '' } = groupOf(partition) ?? {};
      const { late } = of(group, tenure);
      const one = open(late, partition);
      await Promise.race([Promise.all(one.underWay), whenAborted(tenure.signal)]);
      const { passes } = one;
      return () => {
        if (one.passes === passes && one.passing === 0 && one.underWay.size === 0)
          late.delete(partition);
      };
    },
    /** Keeps what was prepared for a message that is passed on to a channel, if anything was. */
    keep: (to: string, prepared: Prepared): void => {
      const isWanted = prepared.mirrors.some(({ target }) => isFor({ to }, target.channel));
      if (isWanted && !prepared.fault) kept.set(keptKey(to, prepared.row), prepared);
    },
    /** Takes what was prepared for a row before it was passed on; undefined where it is not known, or was of another state. */
    take: (row: Row): Prepared | undefined => {
      if (row.to === undefined) return undefined;
      const key = keptKey(row.to, row);
      const found = kept.get(key);
      kept.delete(key);
      if (found?.row.contentHash !== row.contentHash) return undefined;
      const mirrors = found.mirrors.filter(({ target }) => isFor(row, target.channel));
      const used = { characters: 0, audioMs: 0 };
      const over = { late: [], paused: [], orphanTargets: [] };
      return { ...found, ...over, row, mirrors, used, mayExist: row.mayExist };
    },
    forget: (authorId: string): void => {
      for (const [key, { row }] of kept) if (row.authorId === authorId) kept.delete(key);
    },
    forgetAll: kept.clear,
    forgetSpace: (space: Space): void => {
      for (const [key, { row }] of kept)
        if (keyOf(row.ref.channel.space) === keyOf(space)) kept.delete(key);
    },
  };
};
