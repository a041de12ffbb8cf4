import { realClock, waitUntil } from '../../async/clock.ts';
import { createSemaphore, type Semaphore } from '../../async/locks.ts';
import { channelAround, channelKey } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import {
  flaggedLanguage,
  groupOf,
  latePartition,
  pausePartition,
  type Row,
} from '../../store/inbox/row.ts';
import type { Prepared } from '../prepare/prepared.ts';
import type { CompactReplies } from './compact-replies.ts';
import type { LateTargets } from './late-targets.ts';
import { isPassing, plan, type Current, type Plan, type TargetWork } from './plan.ts';
import { createSettle, type SettleDeps, type Wait } from './settle.ts';
import { createTargets, type Records, type TargetDeps } from './targets.ts';

/** Batches of one platform that hold files in memory at the same time. */
const LARGE_AT_ONCE = 2;
/** Time for which linked channels wait for each other; one that takes longer is late. */
export const PATIENCE_MS = 1_000;

export interface ReconcileDeps extends TargetDeps, SettleDeps {
  readonly store: TargetDeps['store'];
  readonly watches: Pick<WatchStore, 'of' | 'isOwn'>;
  readonly late: LateTargets;
  readonly replies: TargetDeps['replies'] & Pick<CompactReplies, 'note'>;
  /** Has a partition processed, unless it waits for a time. */
  readonly wakeIdle: (partition: string) => void;
  /** True while the prepared mirrors are still wanted. */
  readonly isWanted: (prepared: Prepared) => Promise<boolean>;
}

/** The work in one target, under way or ended. */
interface Run {
  readonly work: TargetWork;
  /** Never rejects. */
  readonly ended: Promise<void>;
  /** The error that it met; undefined while it goes on, and where it met none. */
  fault?: Error;
}

/** A batch of a group, as far as it is done. */
interface Progress {
  readonly runs: readonly Run[];
  readonly records: Records;
  readonly waits: ReadonlyMap<Row, readonly Wait[]>;
  /** True where other messages wait for the batch. */
  readonly isShared: boolean;
}

const openRows = ({ open }: TargetWork): Row[] =>
  [...open].flatMap(([row, steps]) => (steps > 0 ? [row] : []));

/** Lists the late channels for which rows wait, as it was planned and as the work in their targets went. */
const waitsOf = (
  planned: Plan['late'],
  runs: readonly Run[],
  keyOf: (target: MirrorTarget) => string,
): Map<Row, Wait[]> => {
  const waits = new Map<Row, Wait[]>();
  const add = (row: Row, wait: Wait): void =>
    void waits.set(row, [...(waits.get(row) ?? []), wait]);
  for (const [to, rows] of planned)
    for (const [row, fault] of rows) add(row, { to, fault, isTried: false });
  for (const { work, fault } of runs)
    for (const row of openRows(work)) add(row, { to: keyOf(work.target), fault, isTried: true });
  return waits;
};

/** Creates the function that brings mirrors into the state prepared for them and settles their rows. */
export const createReconcile = (deps: ReconcileDeps) => {
  const { stored, platforms, watches, late } = deps;
  const large = new Map<string, Semaphore>();
  const targets = createTargets(deps);
  const settle = createSettle(deps);

  const keyOf = ({ channel }: MirrorTarget): string =>
    channelKey(watches.isOwn(channel) ? channel : channelAround(channel));

  /** The current state of a row; undefined when the prepared mirrors are no longer wanted. */
  const currentOf = async (prepared: Prepared): Promise<Current | undefined> => {
    const standing = await stored.standing(prepared.row);
    return standing && (await deps.isWanted(prepared)) ? { prepared, standing } : undefined;
  };

  /** The group of a row that may wait for one channel while it is done in the others; undefined for other rows. */
  const groupFor = ({ to, purpose, partition, ref }: Row): string | undefined =>
    to === undefined && flaggedLanguage(purpose) === undefined
      ? (groupOf(partition)?.group ?? watches.of(ref.channel)?.group)
      : undefined;

  /** Begins the work in a target; the fault that it meets is part of the result. */
  const begin = (work: TargetWork, records: Records): Run => {
    const run: Run = {
      work,
      ended: targets.change(work, records).catch((thrown: unknown) => {
        run.fault = thrown as Error;
      }),
    };
    return run;
  };

  /** Settles rows of a group; what they wait for in some of its channels goes on by itself. */
  const settleGroup = async (
    group: string,
    rows: readonly Prepared[],
    { runs, records, waits, isShared }: Progress,
  ): Promise<void> => {
    const keys = new Set<string>();
    const paused = new Set<string>();
    using passing = new DisposableStack();
    for (const prepared of rows)
      for (const { to } of waits.get(prepared.row) ?? []) {
        keys.add(to);
        // An edit may be brought with one before it.
        const from = keyOf({ channel: prepared.row.ref.channel });
        if (!isShared) paused.add(pausePartition(group, from, to));
        late.keep(to, prepared);
      }
    const over = async (run: Run | undefined): Promise<void> => {
      await run?.ended;
      await Promise.allSettled(records.writes);
    };
    for (const to of isShared ? keys : []) {
      const run = runs.find(({ work }) => keyOf(work.target) === to);
      passing.use(late.passOn(group, to, records.tenure, over(run)));
    }
    try {
      await settle(rows, records, group, waits);
    } finally {
      for (const to of keys) deps.wakeIdle(latePartition(group, to));
      for (const partition of paused) deps.wakeIdle(partition);
    }
  };

  const reconcile = async (batch: readonly Prepared[], tenure: Tenure): Promise<number> => {
    const valid: Current[] = [];
    for (const current of await Promise.all(batch.map(currentOf))) {
      if (!current) break;
      valid.push(current);
    }
    const [first] = valid;
    if (!first) return 0;
    for (const { prepared } of valid) deps.replies.note(prepared.row);
    const { row } = first.prepared;
    const group = groupFor(row);
    // In a partition of its own, a message delays no other.
    const isShared = group !== undefined && groupOf(row.partition) !== undefined;
    const records: Records = { faults: new Map(), vanished: new Set(), writes: [], tenure };
    const { works, late: planned } = await plan(valid, {
      platforms,
      keyOf,
      isLate: (to) => isShared && late.isLate(group, to, tenure),
      canWait: group !== undefined,
      signal: tenure.signal,
    });
    const runs = works.map((work) => begin(work, records));
    const ended = Promise.all(runs.map((run) => run.ended));
    await (isShared ? waitUntil(realClock, realClock.nowMs() + PATIENCE_MS, ended) : ended);
    const isStuck = ({ fault }: Run): boolean =>
      fault !== undefined && (group === undefined || !isPassing(fault));
    // What is not settled is tried again, and not before all of this try is over.
    if (runs.some(isStuck)) await ended;
    const failed = runs.filter(isStuck);
    const stuck = new Set(failed.flatMap(({ work }) => openRows(work)));
    const unfinished = valid.findIndex(({ prepared }) => stuck.has(prepared.row));
    const rows = (unfinished === -1 ? valid : valid.slice(0, unfinished)).map(
      ({ prepared }) => prepared,
    );
    // The failure is met again, and counted, when the row that failed is the first.
    if (failed[0] && rows.length === 0) throw failed[0].fault;
    if (group === undefined) await settle(rows, records);
    else {
      const waits = waitsOf(planned, runs, keyOf);
      await settleGroup(group, rows, { runs, records, waits, isShared });
    }
    return rows.length;
  };

  /** Batches that hold files wait for those that go to the same places: others would wait for one that is stuck. */
  const largeOf = ({ row }: Prepared): Semaphore => {
    const key = row.to?.split(' ')[0] ?? row.ref.channel.space.platform;
    const name = `${key} ${row.to === undefined}`;
    const known = large.get(name) ?? createSemaphore(LARGE_AT_ONCE);
    large.set(name, known);
    return known;
  };

  /**
   * Reconciles rows of one partition in their order, up to the first whose prepared mirrors are no
   * longer wanted; resolves with the number of rows done. That next row has to be prepared again.
   * The work is idempotent: existing mirrors are kept. Rows of linked channels are done where one
   * channel cannot be reached or takes long: they wait for it in a partition of their own. Of other
   * rows, those before the first that was not finished are settled; without any it rejects with a
   * retryable `AppError`.
   */
  return async (batch: readonly Prepared[], tenure: Tenure): Promise<number> => {
    const withFiles = batch.find(({ files }) => files.length > 0);
    // Checked only once the batch may start.
    return withFiles
      ? largeOf(withFiles).use(() => reconcile(batch, tenure))
      : reconcile(batch, tenure);
  };
};
