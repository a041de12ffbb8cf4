import { hash } from 'node:crypto';
import { createSemaphore } from '../../async/semaphore.ts';
import { quoteFor, type QuoteDeps } from './quote.ts';
import {
  readAttachments,
  unreadAttachments,
  type Attachments,
  type MirrorContent,
  type Prepared,
} from '../prepare/compose.ts';
import { OutageError } from '../outage.ts';
import { ASIDE, waitMs } from '../tries.ts';
import { AppError, reasonSentence, toAppError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { Tenure } from '../../ports/leases.ts';
import type { Posted } from '../../model/place.ts';
import type { Mirror, MirrorTarget } from '../../ports/mirrors.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { flaggedLanguage, type Outcome, type Row } from '../../store/inbox/row.ts';
import type { Store } from '../../store/index.ts';
import { isSameTarget, type MirrorStore, type StoredMirror } from '../../store/mirrors.ts';
import { recordUsage } from '../../store/usage.ts';
import { RELAXED } from '../../store/writer.ts';

/** Tries after which a file that cannot be read is left out, so that it does not delay others. */
const FILE_TRIES = 4;
/** Batches that hold files in memory at the same time. */
const LARGE_AT_ONCE = 2;

export interface ReconcileDeps extends QuoteDeps {
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

/** Prepared mirrors that are still wanted, and the row's existing ones. */
interface Current {
  readonly prepared: Prepared;
  readonly standing: readonly StoredMirror[];
}

interface Step {
  readonly prepared: Prepared;
  readonly content: MirrorContent;
  readonly posted?: StoredMirror['posted'];
}

interface Update extends Step {
  /** The content with files that were read, after some could not be read; else undefined. */
  readonly inStead: () => Promise<MirrorContent | undefined>;
}

/** The changes in one target, in the order of the partition. */
interface TargetWork {
  readonly target: MirrorTarget;
  readonly remove: { readonly row: Row; readonly posted: StoredMirror['posted'] }[];
  readonly update: Update[];
  readonly create: Step[];
}

interface Records {
  /** Permanent failures. */
  readonly faults: Map<Row, AppError>;
  /** Rows whose message was deleted while its mirrors were created. */
  readonly vanished: Set<Row>;
  /** Pending writes of the mirrors' places. */
  readonly writes: Promise<void>[];
}

const isFinal = (thrown: unknown): thrown is AppError =>
  thrown instanceof AppError && !thrown.retryable && thrown.code !== 'cancelled';

/** Begins the hash of an incomplete mirror, which tells if the next try makes another of it. */
const INCOMPLETE = '?';

/** The stored hash of a mirror. */
const hashOf = ({ row, fault }: Prepared, { label, content }: MirrorContent): string =>
  fault ? INCOMPLETE + hash('sha256', JSON.stringify([label, content.text])) : row.contentHash;

const isFinished = ({ contentHash }: StoredMirror): boolean =>
  contentHash !== '' && !contentHash.startsWith(INCOMPLETE);

const outcomeOf = ({ row, fault, skip }: Prepared, { faults, vanished }: Records): Outcome => {
  const failed = fault ?? faults.get(row);
  if (vanished.has(row)) return { state: 'skipped', reason: 'deleted' };
  if (failed) return { state: 'dead', reason: failed.code, sentence: reasonSentence(failed) };
  if (row.message === 'deleted') return { state: 'skipped', reason: 'deleted' };
  return skip === undefined ? { state: 'posted' } : { state: 'skipped', reason: skip };
};

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

  const plan = async (
    batch: readonly Current[],
    signal: AbortSignal,
  ): Promise<readonly TargetWork[]> => {
    const works: TargetWork[] = [];
    const workOf = (target: MirrorTarget): TargetWork => {
      const known = works.find((one) => isSameTarget(one.target, target));
      if (known) return known;
      const work = { target, remove: [], update: [], create: [] };
      works.push(work);
      return work;
    };
    for (const { prepared, standing } of batch) {
      const { row, files, mirrors, leavesStanding } = prepared;
      const read = new Map<number, Attachments>();
      const attachmentsFor = async ({ channel }: MirrorTarget): Promise<Attachments> => {
        const { filesBytes } = platforms.of(channel).mirrors;
        const isLast = row.attempts >= FILE_TRIES;
        const known =
          read.get(filesBytes) ?? (await readAttachments(files, filesBytes, isLast, signal));
        read.set(filesBytes, known);
        return known;
      };
      for (const { target, compose } of mirrors) {
        const kept = standing.find((one) => isSameTarget(one.target, target));
        if (kept && (!kept.posted || kept.contentHash === row.contentHash)) continue;
        const whole = async () => compose(await attachmentsFor(target));
        if (!kept) {
          workOf(target).create.push({ prepared, content: await whole() });
          continue;
        }
        let isUnreadable = false;
        const { filesBytes } = platforms.of(target.channel).mirrors;
        const unread = unreadAttachments(files, filesBytes, signal, () => {
          isUnreadable = true;
        });
        const content = compose(unread);
        if (kept.contentHash === hashOf(prepared, content)) continue;
        const inStead = async () => (isUnreadable ? whole() : undefined);
        workOf(target).update.push({ prepared, content, posted: kept.posted, inStead });
      }
      for (const kept of standing) {
        const { target, posted } = kept;
        const isWanted = mirrors.some((wanted) => isSameTarget(wanted.target, target));
        // Only finished mirrors may be left as they are.
        if (!isWanted && !(leavesStanding && isFinished(kept)))
          workOf(target).remove.push({ row, posted });
      }
    }
    return works;
  };

  const reconcileTarget = async (
    { target, remove, update, create }: TargetWork,
    { faults, vanished, writes }: Records,
    tenure: Tenure,
  ): Promise<void> => {
    const { mirrors } = platforms.of(target.channel);

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
        ...(sourceUrl === undefined ? {} : { sourceUrl }),
        ...(quote ? { quote } : {}),
      };
    };

    for (const { row, posted } of remove) {
      try {
        tenure.assertHeld();
        if (posted) await mirrors.remove(posted, row.ref);
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        if (thrown.code !== 'not-found') {
          // The message is still visible: people have to delete it.
          faults.set(row, thrown);
          continue;
        }
      }
      await store.write((db) => stored.drop(db, row, target), RELAXED);
    }

    const change = async (step: Step, standing: Posted): Promise<Posted> => {
      const { row, mayExist } = step.prepared;
      const mirror = await mirrorOf(step);
      tenure.assertHeld();
      return mirrors.update(standing, mirror, mayExist ? { sinceMs: row.sinceMs } : undefined);
    };
    for (const step of update) {
      const { row } = step.prepared;
      if (!step.posted) continue;
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
    }

    /** Records a failure; a source that was deleted meanwhile is none. */
    const giveUp = async ({ row, watch }: Prepared, error: AppError): Promise<void> => {
      const { channel } = row.ref;
      if (error.code === 'not-found' && !(await platforms.of(channel).feed.read(row.ref))) {
        vanished.add(row);
        return;
      }
      faults.set(row, error);
      const { space, id } = target.channel;
      const fields = { platform: space.platform, channel: id, code: error.code };
      const missing = error.code === 'forbidden' ? await missingIn(target, watch) : [];
      const lacking = missing.length > 0 ? { missing } : {};
      log.warn({ ...fields, reason: error.message, ...lacking }, 'a mirror could not be created');
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
        tenure.assertHeld();
        const sinceMs = Math.min(...left.map(({ prepared }) => writtenMs(prepared.row)));
        const options = { mayExist, others, sinceMs, signal: tenure.signal };
        for await (const posted of mirrors.create(target, wanted, options)) {
          const step = left.shift();
          if (step)
            keep(
              step.prepared.row,
              { posted, contentHash: hashOf(step.prepared, step.content) },
              true,
            );
        }
        return;
      } catch (thrown) {
        if (!isFinal(thrown)) throw thrown;
        // A target that refuses access refuses it for all of them.
        const failed = left.splice(0, thrown.code === 'forbidden' ? left.length : 1);
        for (const { prepared } of failed) await giveUp(prepared, thrown);
        // The rest may reply to what was created before.
        await Promise.all(writes);
      }
    }
  };

  /** Deletes mirrors of deleted messages that may exist without being stored. */
  const removeOrphans = async ({ row, orphanTargets }: Prepared, tenure: Tenure): Promise<void> => {
    for (const target of orphanTargets) {
      const isFlag = flaggedLanguage(row.purpose) !== undefined;
      // Other replies to the same message are kept.
      const only = isFlag ? { key: row.purpose, others: await stored.others(row) } : undefined;
      try {
        tenure.assertHeld();
        await platforms.of(target.channel).mirrors.removeOrphans(target, row.ref, only);
      } catch (thrown) {
        // In a target that is gone or inaccessible nothing can be deleted.
        const { code } = toAppError(thrown);
        if (code !== 'not-found' && code !== 'forbidden') throw thrown;
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
    log[level]({ ...where, code: fault.code, attempts, err: fault }, event);
  };

  const settle = async (batch: readonly Current[], records: Records): Promise<void> => {
    const aside: { readonly partition: string; readonly dueMs: number }[] = [];
    // Written after the mirrors' places, and mostly in one transaction with them.
    const settling = store.write(async (db) => {
      for (const { prepared } of batch) {
        const { row, used, fault, willRetry } = prepared;
        if (fault) logFault(prepared, fault);
        if (fault && willRetry && !records.faults.has(row) && !records.vanished.has(row)) {
          const isTried = !(fault instanceof OutageError);
          const dueMs = dueMsOf(row, fault);
          const partition = await inbox.stepAside(db, row, { isTried, dueMs });
          if (partition !== undefined) aside.push({ partition, dueMs });
          continue;
        }
        const outcome = outcomeOf(prepared, records);
        const isSettled = await inbox.settle(db, row, outcome);
        const usage = { ...used, messages: outcome.state === 'posted' ? 1 : 0 };
        const isUsed = usage.messages + usage.characters + usage.audioMs > 0;
        if (isSettled && isUsed && row.authorId !== '')
          await recordUsage(db, row.ref.channel.space, row.authorId, usage, deps.now());
      }
    }, RELAXED);
    await Promise.all([...records.writes, settling]);
    for (const { partition, dueMs } of aside) deps.wakeAt(partition, dueMs);
  };

  const reconcile = async (batch: readonly Prepared[], tenure: Tenure): Promise<number> => {
    const wanted: Current[] = [];
    for (const current of await Promise.all(batch.map(currentOf))) {
      if (!current) break;
      wanted.push(current);
    }
    if (wanted.length === 0) return 0;
    const records: Records = { faults: new Map(), vanished: new Set(), writes: [] };
    for (const { prepared } of wanted) await removeOrphans(prepared, tenure);
    const works = await plan(wanted, tenure.signal);
    const done = await Promise.allSettled(
      works.map((work) => reconcileTarget(work, records, tenure)),
    );
    for (const result of done) if (result.status === 'rejected') throw result.reason;
    await settle(wanted, records);
    return wanted.length;
  };

  /**
   * Reconciles rows of one partition in their order, up to the first whose prepared mirrors are no
   * longer wanted; resolves with the number of rows done. That next row has to be prepared again.
   * The work is idempotent: existing mirrors are kept. Rejects with a retryable `AppError` where a
   * target could not be reached; then no row is settled.
   */
  return (batch: readonly Prepared[], tenure: Tenure): Promise<number> =>
    // Checked only once the batch may start.
    batch.some(({ files }) => files.length > 0)
      ? large.use(() => reconcile(batch, tenure))
      : reconcile(batch, tenure);
};
