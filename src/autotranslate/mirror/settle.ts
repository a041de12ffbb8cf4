import type { Transaction } from 'kysely';
import { reasonSentence, toAppError, type AppError } from '../../errors.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { requoteEdited } from '../../store/inbox/quotes.ts';
import {
  flaggedLanguage,
  isOfQuote,
  latePartition,
  WATCH,
  type Outcome,
  type Row,
} from '../../store/inbox/row.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import type { Store } from '../../store/index.ts';
import type { Schema } from '../../store/schema.ts';
import { recordUsage } from '../../store/usage.ts';
import { RELAXED, SEPARATE_RELAXED } from '../../store/writer.ts';
import type { Log } from '../../telemetry/log.ts';
import { OutageError } from '../outages/breaker.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import { MOST_QUOTING, type Prepared } from '../prepare/prepared.ts';
import { ASIDE, LATE, waitMs } from '../row-backoff.ts';
import { loggingOf, logSkip, type MessageMetrics } from '../telemetry.ts';
import type { Records } from './targets.ts';

/** A late channel for which a row waits while it is done in others. */
export interface Wait {
  /** Key of the late channel. */
  readonly to: string;
  /** The fault for which the channel is late; undefined where others wait there already, or it takes long. */
  readonly fault: Error | undefined;
  /** True where the mirror there may have been posted. */
  readonly isTried: boolean;
}

export interface SettleDeps {
  readonly measured: MessageMetrics;
  readonly inbox: Pick<InboxStore, 'settle' | 'stepAside' | 'passOn'>;
  readonly store: Pick<Store, 'write'>;
  readonly stored: MirrorStore;
  readonly moderators: Pick<ModeratorNotices, 'lost' | 'settled'>;
  readonly log: Log;
  readonly now: () => number;
  /** Random number from 0 to 1, for the jitter of waits. */
  readonly random: () => number;
  /** Has a partition processed at a time, ms since 1970. */
  readonly wakeAt: (partition: string, atMs: number) => void;
}

const outcomeOf = ({ row, fault, skip }: Prepared, { faults, vanished }: Records): Outcome => {
  const failed = fault ?? faults.get(row);
  if (vanished.has(row)) return { state: 'skipped', reason: 'deleted' };
  if (failed) return { state: 'dead', reason: failed.code, sentence: reasonSentence(failed) };
  if (row.message === 'deleted') return { state: 'skipped', reason: 'deleted' };
  return skip === undefined ? { state: 'posted' } : { state: 'skipped', reason: skip };
};

/** True of a message that was changed since it was posted: what quotes it follows. */
const isEdited = (row: Row): boolean =>
  row.revision > 1 && row.purpose === WATCH && row.message !== 'deleted' && !isOfQuote(row);

/** Tries in which what quotes a deleted message may be left over. */
const MORE_TIMES = 19;

/** True of a deleted message: what quotes it follows. */
const isDeleted = ({ purpose, message }: Row): boolean =>
  message === 'deleted' && purpose === WATCH;

type Usage = Prepared['used'] & { readonly messages: number };

const isUsed = ({ messages, characters, audioMs }: Usage): boolean =>
  messages + characters + audioMs > 0;

/** Creates the function that stores how rows ended, and what they still wait for. */
export const createSettle = (deps: SettleDeps) => {
  const { inbox, store, log, now, random } = deps;

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

  const passOn = async (
    db: Transaction<Schema>,
    { row, mayExist, tried = [], paused = [] }: Prepared,
    group: string,
    waits: readonly Wait[],
  ): Promise<void> => {
    for (const { to, fault, isTried } of waits) {
      const dueMs = fault ? now() + waitMs(LATE, 1, toAppError(fault), random) : 0;
      const mayStand = mayExist || isTried || tried.includes(to);
      const how = { mayExist: mayStand, attempts: fault ? 1 : 0, dueMs };
      await inbox.passOn(db, row, { partition: latePartition(group, to), to, ...how });
    }
    // Takes the place of what waits for the same channel because it is late.
    for (const wait of paused)
      await inbox.passOn(db, row, { ...wait, mayExist, attempts: 0, dueMs: 0 });
  };

  /**
   * Settles rows, or has them step aside for another try.
   *
   * @param waits what rows of a group wait for besides
   */
  return async (
    batch: readonly Prepared[],
    records: Records,
    group = '',
    waits: ReadonlyMap<Row, readonly Wait[]> = new Map(),
  ): Promise<void> => {
    const ended: (() => void)[] = [];
    const aside: { readonly partition: string; readonly dueMs: number }[] = [];
    const settled = batch.map((prepared) => {
      const outcome = outcomeOf(prepared, records);
      const isCounted = outcome.state === 'posted' && prepared.row.to === undefined;
      return { prepared, outcome, usage: { ...prepared.used, messages: Number(isCounted) } };
    });
    // A row of which only the outcome is stored needs no transaction.
    const isSimple =
      waits.size === 0 &&
      !settled.some(
        ({ prepared: { row, keptOut, paused = [] }, usage }) =>
          isUsed(usage) || isEdited(row) || isDeleted(row) || keptOut.length + paused.length > 0,
      );
    // Written after the mirrors' places, and mostly in one transaction with them.
    const settling = store.write(
      async (db) => {
        for (const { prepared, outcome, usage } of settled) {
          const { row, fault, willRetry, quoting } = prepared;
          for (const { channel, reason } of prepared.keptOut)
            await deps.stored.keepOut(db, row, channel, reason);
          if (fault) logFault(prepared, fault);
          await passOn(db, prepared, group, waits.get(row) ?? []);
          if (fault && willRetry && !records.faults.has(row) && !records.vanished.has(row)) {
            const isTried = !(fault instanceof OutageError);
            const dueMs = now() + waitMs(ASIDE, row.attempts, fault, random);
            const sentence = reasonSentence(fault);
            const partition = await inbox.stepAside(db, row, { isTried, dueMs, sentence });
            if (partition !== undefined) aside.push({ partition, dueMs });
            continue;
          }
          // In a late channel, each time some go.
          const mayMore =
            row.to === undefined ? row.attempts < MORE_TIMES : !records.faults.has(row);
          if (isDeleted(row) && quoting.length === MOST_QUOTING && mayMore) {
            const partition = await inbox.stepAside(db, row, { isTried: true, dueMs: now() });
            if (partition !== undefined) aside.push({ partition, dueMs: now() });
            continue;
          }
          const isSettled = await inbox.settle(db, row, outcome);
          // What it quotes may have been deleted meanwhile.
          if (!isSettled) aside.push({ partition: row.partition, dueMs: now() });
          const { platform } = row.ref.channel.space;
          // What was late only was counted before.
          if (isSettled && (row.to === undefined || outcome.state === 'dead'))
            ended.push(() => deps.measured.settled(platform, outcome.state, row.sinceMs));
          if (isSettled) ended.push(() => deps.moderators.settled(row, outcome));
          if (isSettled && outcome.state === 'skipped')
            ended.push(() => logSkip(log, row, outcome.reason));
          if (isSettled && isEdited(row)) {
            const { partitions, dueMs } = await requoteEdited(db, row.ref, now());
            for (const partition of partitions) aside.push({ partition, dueMs });
          }
          // Somebody else may have pressed a flag, or changed what it quotes: it is the use of the space alone.
          const isOwn = flaggedLanguage(row.purpose) === undefined && !isOfQuote(row);
          const memberId = isOwn ? row.authorId : '';
          if (isSettled && isUsed(usage) && row.authorId !== '')
            await recordUsage(db, row.ref.channel.space, memberId, usage, now());
        }
      },
      isSimple ? SEPARATE_RELAXED : RELAXED,
    );
    await Promise.all([...records.writes, settling]);
    for (const measure of ended) measure();
    for (const { partition, dueMs } of aside) deps.wakeAt(partition, dueMs);
  };
};
