import { createSemaphore } from '../../async/locks.ts';
import { plan, rowsOf, type Current } from './plan.ts';
import { createTargets, type Records, type TargetDeps } from './targets.ts';
import { type MessageMetrics, loggingOf } from '../telemetry.ts';
import type { Prepared } from '../prepare/prepared.ts';
import { OutageError } from '../breaker.ts';
import { reasonSentence, type AppError } from '../../errors.ts';
import type { Tenure } from '../../ports/processes.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { flaggedLanguage, type Outcome, type Row } from '../../store/inbox/row.ts';
import { recordUsage } from '../../store/usage.ts';
import { RELAXED, SEPARATE_RELAXED } from '../../store/writer.ts';

/** Batches that hold files in memory at the same time. */
const LARGE_AT_ONCE = 2;

export interface ReconcileDeps extends TargetDeps {
  readonly measured: MessageMetrics;
  readonly inbox: Pick<InboxStore, 'settle' | 'stepAside'>;
  readonly now: () => number;
  /** The wait before another try of a row that failed alone, in ms. */
  readonly waitMs: (attempts: number, fault: AppError) => number;
  /** Has a partition processed at a time, ms since 1970. */
  readonly wakeAt: (partition: string, atMs: number) => void;
  /** True while the prepared mirrors are still wanted. */
  readonly isWanted: (prepared: Prepared) => Promise<boolean>;
}

const outcomeOf = ({ row, fault, skip }: Prepared, { faults, vanished }: Records): Outcome => {
  const failed = fault ?? faults.get(row);
  if (vanished.has(row)) return { state: 'skipped', reason: 'deleted' };
  if (failed) return { state: 'dead', reason: failed.code, sentence: reasonSentence(failed) };
  if (row.message === 'deleted') return { state: 'skipped', reason: 'deleted' };
  return skip === undefined ? { state: 'posted' } : { state: 'skipped', reason: skip };
};

type Usage = Prepared['used'] & { readonly messages: number };

const isUsed = ({ messages, characters, audioMs }: Usage): boolean =>
  messages + characters + audioMs > 0;

/** Creates the function that brings mirrors into the state prepared for them and settles their rows. */
export const createReconcile = (deps: ReconcileDeps) => {
  const { inbox, stored, store, platforms, log } = deps;
  const large = createSemaphore(LARGE_AT_ONCE);
  const targets = createTargets(deps);

  /** The current state of a row; undefined when the prepared mirrors are no longer wanted. */
  const currentOf = async (prepared: Prepared): Promise<Current | undefined> => {
    const standing = await stored.standing(prepared.row);
    return standing && (await deps.isWanted(prepared)) ? { prepared, standing } : undefined;
  };

  /** Logs a failure. `/status` tells of outages and of the daily limit. */
  const logFault = ({ row, willRetry }: Prepared, fault: AppError): void => {
    const isLimit = fault.code === 'rate-limited' && !fault.retryable;
    if (fault instanceof OutageError || isLimit) return;
    const { ref, attempts } = row;
    const { space, id: channel } = ref.channel;
    const where = { platform: space.platform, channel, message: ref.id };
    const level = fault.code === 'internal' ? 'error' : 'warn';
    const event = willRetry ? 'a message could not be translated yet' : 'a message was given up';
    loggingOf(row, () => log[level]({ ...where, code: fault.code, attempts, err: fault }, event));
  };

  const settle = async (batch: readonly Current[], records: Records): Promise<void> => {
    const ended: (() => void)[] = [];
    const aside: { readonly partition: string; readonly dueMs: number }[] = [];
    const settled = batch.map(({ prepared }) => {
      const outcome = outcomeOf(prepared, records);
      const messages = outcome.state === 'posted' ? 1 : 0;
      return { prepared, outcome, usage: { ...prepared.used, messages } };
    });
    // A row of which only the outcome is stored needs no transaction.
    const options = settled.some(({ usage }) => isUsed(usage)) ? RELAXED : SEPARATE_RELAXED;
    // Written after the mirrors' places, and mostly in one transaction with them.
    const settling = store.write(async (db) => {
      for (const { prepared, outcome, usage } of settled) {
        const { row, fault, willRetry } = prepared;
        if (fault) logFault(prepared, fault);
        if (fault && willRetry && !records.faults.has(row) && !records.vanished.has(row)) {
          const isTried = !(fault instanceof OutageError);
          const dueMs = deps.now() + deps.waitMs(row.attempts, fault);
          const partition = await inbox.stepAside(db, row, { isTried, dueMs });
          if (partition !== undefined) aside.push({ partition, dueMs });
          continue;
        }
        const isSettled = await inbox.settle(db, row, outcome);
        const { platform } = row.ref.channel.space;
        if (isSettled)
          ended.push(() => deps.measured.settled(platform, outcome.state, row.sinceMs));
        // Somebody else may have pressed a flag: it is the use of the space alone.
        const memberId = flaggedLanguage(row.purpose) === undefined ? row.authorId : '';
        if (isSettled && isUsed(usage) && row.authorId !== '')
          await recordUsage(db, row.ref.channel.space, memberId, usage, deps.now());
      }
    }, options);
    await Promise.all([...records.writes, settling]);
    for (const measure of ended) measure();
    for (const { partition, dueMs } of aside) deps.wakeAt(partition, dueMs);
  };

  const reconcile = async (batch: readonly Prepared[], tenure: Tenure): Promise<number> => {
    const valid: Current[] = [];
    for (const current of await Promise.all(batch.map(currentOf))) {
      if (!current) break;
      valid.push(current);
    }
    if (valid.length === 0) return 0;
    const open = new Map<Row, number>();
    const records: Records = { faults: new Map(), vanished: new Set(), open, writes: [], tenure };
    for (const { row, orphanTargets } of valid.map(({ prepared }) => prepared))
      for (const orphaned of orphanTargets) await targets.removeOrphans(row, orphaned, tenure);
    const works = await plan(valid, platforms, tenure.signal);
    for (const row of works.flatMap(rowsOf)) open.set(row, (open.get(row) ?? 0) + 1);
    const ended = await Promise.allSettled(works.map((work) => targets.change(work, records)));
    const failed = ended.find((result) => result.status === 'rejected');
    const unfinished = valid.findIndex(({ prepared }) => (open.get(prepared.row) ?? 0) > 0);
    const finished = unfinished === -1 ? valid : valid.slice(0, unfinished);
    // The failure is met again, and counted, when the row that failed is the first.
    if (failed && finished.length === 0) throw failed.reason;
    await settle(finished, records);
    return finished.length;
  };

  /**
   * Reconciles rows of one partition in their order, up to the first whose prepared mirrors are no
   * longer wanted; resolves with the number of rows done. That next row has to be prepared again.
   * The work is idempotent: existing mirrors are kept. Where a target could not be reached, the rows
   * before the first that was not finished are settled; without any it rejects with a retryable `AppError`.
   */
  return (batch: readonly Prepared[], tenure: Tenure): Promise<number> =>
    // Checked only once the batch may start.
    batch.some(({ files }) => files.length > 0)
      ? large.use(() => reconcile(batch, tenure))
      : reconcile(batch, tenure);
};
