import { createSemaphore } from '../../async/semaphore.ts';
import { quoteFor, type QuoteDeps } from './quote.ts';
import { hashOf, plan, rowsOf, type Current, type Step, type TargetWork } from './plan.ts';
import type { MessageMetrics } from '../metrics.ts';
import type { Prepared } from '../prepare/prepared.ts';
import { OutageError } from '../outage.ts';
import { loggingOf } from '../traces.ts';
import { ASIDE, waitMs } from '../row-backoff.ts';
import { AppError, reasonSentence, toAppError } from '../../errors.ts';
import type { Log } from '../../telemetry/log.ts';
import type { Tenure } from '../../ports/leases.ts';
import type { Posted } from '../../model/place.ts';
import type { Mirror, MirrorTarget } from '../../ports/mirrors.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { flaggedLanguage, type Outcome, type Row } from '../../store/inbox/row.ts';
import type { Store } from '../../store/index.ts';
import type { MirrorStore, StoredMirror } from '../../store/channels/mirrors.ts';
import { recordUsage } from '../../store/usage.ts';
import { RELAXED, SEPARATE_RELAXED } from '../../store/writer.ts';

/** Batches that hold files in memory at the same time. */
const LARGE_AT_ONCE = 2;

export interface ReconcileDeps extends QuoteDeps {
  readonly measured: MessageMetrics;
  readonly inbox: Pick<InboxStore, 'settle' | 'stepAside'>;
  readonly stored: MirrorStore;
  readonly store: Pick<Store, 'write'>;
  readonly log: Log;
  readonly now: () => number;
  /** Random number from 0 to 1, for the jitter of waits. */
  readonly random: () => number;
  /** Has a partition processed at a time, ms since 1970. */
  readonly wakeAt: (partition: string, atMs: number) => void;
  /** True while the prepared mirrors are still wanted. */
  readonly isWanted: (prepared: Prepared) => Promise<boolean>;
}

interface Records {
  /** Permanent failures. */
  readonly faults: Map<Row, AppError>;
  /** Rows whose message was deleted while its mirrors were created. */
  readonly vanished: Set<Row>;
  /** Steps of each row that are still to be done. */
  readonly open: Map<Row, number>;
  /** Pending writes of the mirrors' places. */
  readonly writes: Promise<void>[];
}

const isFinal = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && !thrown.retryable && thrown.code !== 'cancelled';

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

  /** Names the permissions that a target lacks. */
  const missingIn = async (
    { channel }: MirrorTarget,
    watch: Prepared['watch'],
  ): Promise<readonly string[]> => {
    const { feed } = platforms.of(channel);
    return feed.missing(channel, watch?.mode ?? 'reply', watch?.below).catch(() => []);
  };

  const writtenMs = ({ ref, position }: Row): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  /** Deletes mirrors of a deleted message that may exist in a target without being stored. */
  const removeOrphans = async (row: Row, target: MirrorTarget, tenure: Tenure): Promise<void> => {
    const isFlag = flaggedLanguage(row.purpose) !== undefined;
    // Other replies to the same message are kept.
    const only = isFlag ? { key: row.purpose, others: await stored.others(row) } : {};
    const assertHeld = (): void => tenure.assertHeld();
    try {
      assertHeld();
      const { mirrors } = platforms.of(target.channel);
      await mirrors.removeOrphans(target, row.ref, { ...only, assertHeld });
    } catch (thrown) {
      // In a target that is gone or inaccessible nothing can be deleted.
      const { code } = toAppError(thrown);
      if (code !== 'not-found' && code !== 'forbidden') throw thrown;
    }
  };

  const reconcileTarget = async (
    { target, remove, update, create }: TargetWork,
    { faults, vanished, open, writes }: Records,
    tenure: Tenure,
  ): Promise<void> => {
    const { mirrors } = platforms.of(target.channel);
    const assertHeld = (): void => tenure.assertHeld();
    const done = (row: Row): void => void open.set(row, (open.get(row) ?? 0) - 1);

    const keep = (row: Row, kept: Omit<StoredMirror, 'target'>, isFirst: boolean): void => {
      const write = store.write((db) => stored.put(db, row, { target, ...kept }, isFirst), RELAXED);
      // A write that fails before it is awaited must not be an unhandled rejection.
      write.catch(() => undefined);
      writes.push(write);
    };
    const mirrorOf = async (
      { prepared: { row, message }, content }: Step,
      before: readonly Step[] = [],
    ): Promise<Mirror> => {
      const together = before.flatMap(({ prepared: { message: source }, content: shown }) =>
        source ? { source, text: shown.content.text } : [],
      );
      const isQuoted = content.as !== undefined && !content.below;
      const quote = message && isQuoted && (await quoteFor(message, target, deps, together));
      const sourceUrl = platforms.of(row.ref.channel).feed.link?.(row.ref);
      return {
        ...content,
        source: row.ref,
        key: row.purpose,
        ...(message?.threadId === undefined ? {} : { sourceThreadId: message.threadId }),
        ...(sourceUrl === undefined ? {} : { sourceUrl }),
        ...(quote ? { quote } : {}),
      };
    };

    for (const { row, posted } of remove) {
      try {
        assertHeld();
        if (posted) await mirrors.remove(posted, row.ref, { assertHeld });
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        if (thrown.code !== 'not-found') {
          // The message is still visible: people have to delete it.
          faults.set(row, thrown);
          done(row);
          continue;
        }
      }
      await store.write((db) => stored.drop(db, row, target), RELAXED);
      done(row);
    }

    const change = async (step: Step, standing: Posted): Promise<Posted> => {
      const { row, mayExist } = step.prepared;
      const mirror = await mirrorOf(step);
      assertHeld();
      const sinceMs = mayExist ? row.sinceMs : undefined;
      return mirrors.update(standing, mirror, { sinceMs, assertHeld });
    };
    for (const step of update) {
      const { row } = step.prepared;
      if (!step.posted) {
        done(row);
        continue;
      }
      try {
        const posted = await change(step, step.posted).catch(async (thrown: unknown) => {
          const content = await step.inStead();
          if (!content || !step.posted) throw thrown;
          return change({ ...step, content }, step.posted);
        });
        keep(row, { posted, contentHash: hashOf(step.prepared, step.content) }, false);
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        if (thrown.code === 'not-found')
          keep(row, { posted: undefined, contentHash: row.contentHash }, false);
        else faults.set(row, thrown);
      }
      done(row);
    }

    /** Records a failure; a source that was deleted meanwhile is none. */
    const giveUp = async ({ row, watch, mayExist }: Prepared, error: AppError): Promise<void> => {
      const { channel } = row.ref;
      if (error.code === 'not-found' && !(await platforms.of(channel).feed.read(row.ref))) {
        if (mayExist) await removeOrphans(row, target, tenure);
        vanished.add(row);
        return;
      }
      faults.set(row, error);
      const { space, id } = target.channel;
      const fields = { platform: space.platform, channel: id, code: error.code };
      const missing = error.code === 'forbidden' ? await missingIn(target, watch) : [];
      const lacking = missing.length > 0 ? { missing } : {};
      loggingOf(row, () =>
        log.warn({ ...fields, reason: error.message, ...lacking }, 'a mirror could not be created'),
      );
    };

    const left = [...create];
    const mayExist = left.some(({ prepared }) => prepared.mayExist);
    while (left.length > 0) {
      try {
        const wanted: Mirror[] = [];
        for (const [at, step] of left.entries())
          wanted.push(await mirrorOf(step, left.slice(0, at)));
        const others = mayExist
          ? (await Promise.all(left.map(({ prepared }) => stored.others(prepared.row)))).flat()
          : [];
        assertHeld();
        const sinceMs = Math.min(...left.map(({ prepared }) => writtenMs(prepared.row)));
        const options = { mayExist, others, sinceMs, signal: tenure.signal, assertHeld };
        for await (const posted of mirrors.create(target, wanted, options)) {
          const step = left.shift();
          if (!step) continue;
          const { prepared, content } = step;
          keep(prepared.row, { posted, contentHash: hashOf(prepared, content) }, true);
          done(prepared.row);
        }
        return;
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        // A target that refuses access refuses it for all of them.
        const failed = left.splice(0, thrown.code === 'forbidden' ? left.length : 1);
        for (const { prepared } of failed) {
          await giveUp(prepared, thrown);
          done(prepared.row);
        }
        // The rest may reply to what was created before.
        await Promise.all(writes);
      }
    }
  };

  /** The current state of a row; undefined when the prepared mirrors are no longer wanted. */
  const currentOf = async (prepared: Prepared): Promise<Current | undefined> => {
    const standing = await stored.standing(prepared.row);
    return standing && (await deps.isWanted(prepared)) ? { prepared, standing } : undefined;
  };

  /** The time of another try of a row that failed, ms since 1970. */
  const dueMsOf = ({ attempts }: Row, fault: AppError): number =>
    deps.now() + waitMs(ASIDE, attempts, fault, deps.random);

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
          const dueMs = dueMsOf(row, fault);
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
    const wanted: Current[] = [];
    for (const current of await Promise.all(batch.map(currentOf))) {
      if (!current) break;
      wanted.push(current);
    }
    if (wanted.length === 0) return 0;
    const open = new Map<Row, number>();
    const records: Records = { faults: new Map(), vanished: new Set(), open, writes: [] };
    for (const { row, orphanTargets } of wanted.map(({ prepared }) => prepared))
      for (const orphaned of orphanTargets) await removeOrphans(row, orphaned, tenure);
    const works = await plan(wanted, platforms, tenure.signal);
    for (const row of works.flatMap(rowsOf)) open.set(row, (open.get(row) ?? 0) + 1);
    const ended = await Promise.allSettled(
      works.map((work) => reconcileTarget(work, records, tenure)),
    );
    const failed = ended.find((result) => result.status === 'rejected');
    const unfinished = wanted.findIndex(({ prepared }) => (open.get(prepared.row) ?? 0) > 0);
    const finished = unfinished === -1 ? wanted : wanted.slice(0, unfinished);
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
