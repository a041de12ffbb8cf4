import type { Kysely, Selectable, Transaction } from 'kysely';
import { keyOf, type Space } from '../../model/place.ts';
import type { Tenure } from '../../ports/processes.ts';
import {
  backfillPartition,
  claimedColumns,
  DELETED,
  isBackfill,
  isReported,
  isClaimed,
  isOfQuote,
  isOpen,
  isRow,
  keyColumns,
  lateIn,
  type Outcome,
  ownPartition,
  reportedPartition,
  type Row,
  rowChannel,
  type StoredMessage,
  WATCH,
  writeSentence,
} from './row.ts';
import type { Sentence } from '../../errors.ts';
import { TOLD, UNTOLD } from './untold.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { slotOf, statement } from '../rows.ts';
import { RELAXED, SEPARATE_RELAXED } from '../writer.ts';

export interface InboxDeps {
  readonly store: Store;
  readonly now: () => number;
}

/** Longest delay of an attempt. A row that is due even later is due now: the clock was set back. */
const LONGEST_AHEAD_MS = 900_000;

const spaceOf = ({ ref: { channel } }: Row): string => keyOf(channel.space);

/** Delay of a message's arrival beyond which it was missed. */
const MISSED_MS = 60_000;

const OPEN_COLUMNS = [
  'platform',
  'space_id',
  'channel_id',
  'parent_id',
  'message_id',
  'purpose',
  'position',
  'author_id',
  'message',
  'reason',
  'content_hash',
  'revision',
  'attempts',
  'begun',
  'changed_ms',
  'written_ms',
  'due_ms',
  'epoch',
] as const;

type OpenRow = Pick<Selectable<Schema['inbox']>, (typeof OPEN_COLUMNS)[number]>;

/** Time for which a message that was reported waits for those of its partition's backfill. */
const ORDER_MS = 500;

/** The first open row of a partition. */
const firstOpen = statement((db, { slot, partition }: { slot: number; partition: string }) =>
  db
    .selectFrom('inbox')
    .select(['written_ms', 'epoch', 'begun'])
    .where('slot', '=', slot)
    .where('partition_key', '=', partition)
    .where(isOpen)
    .orderBy('written_ms')
    .limit(1),
);

interface FirstRows {
  readonly slot: number;
  readonly partition: string;
  readonly limit: number;
}

const selectOpen = (db: Kysely<Schema>, { slot, partition, limit }: FirstRows) =>
  db
    .selectFrom('inbox')
    .select(OPEN_COLUMNS)
    .where('slot', '=', slot)
    .where('partition_key', '=', partition)
    .where(isOpen)
    .orderBy('written_ms')
    .orderBy('position')
    .orderBy('purpose')
    .limit(limit);

const openRows = statement(selectOpen);

/** The result of a claim. */
interface Claimable {
  readonly rows: readonly Row[];
  readonly nextDueMs: number | undefined;
  /** A row that is not due, and comes after those. */
  readonly notDue?: { readonly space: Space; readonly sinceMs: number };
  /** True where the next row has to be claimed in a claim of its own. */
  readonly isCut?: boolean;
}

/** Rows of a partition that are not claimed, though they may be the first. */
export interface PassedOver {
  /** The spaces whose rows they are. */
  readonly spaces: readonly Space[];
  /** Time of writing before which there are no others, ms since 1970. */
  readonly fromMs: number;
}

const openBesides = (db: Kysely<Schema>, rows: FirstRows, { spaces, fromMs }: PassedOver) =>
  selectOpen(db, rows)
    .where('written_ms', '>=', fromMs)
    .where((eb) =>
      eb.not(eb.or(spaces.map(({ platform, id }) => eb.and({ platform, space_id: id })))),
    )
    .execute();

/** Takes effect only where nobody has changed the row since it was read, and no later tenure has it. */
const claimRow = statement(
  (db, row: OpenRow & { readonly partition: string; readonly epoch: number }) =>
    db
      .updateTable('inbox')
      .set((eb) => ({
        epoch: row.epoch,
        attempts: eb('attempts', '+', 1),
        begun: eb('begun', '+', 1),
      }))
      .where(isRow(row))
      .where('partition_key', '=', row.partition)
      // Not in the words of the index of open rows, of which all of a partition would be read.
      .where('state', '=', 'waiting')
      .where('epoch', '<=', row.epoch)
      .where('revision', '=', row.revision)
      .where('attempts', '=', row.attempts)
      .where('due_ms', '=', row.due_ms),
);

/** Moves what an earlier tenure left of a partition, of which nothing is claimed, into that of its backfill. */
const moveLeft = statement(
  (db, row: { slot: number; partition: string; epoch: number; missed: string }) =>
    db
      .updateTable('inbox')
      .set({ partition_key: row.missed })
      .where('slot', '=', row.slot)
      .where('partition_key', '=', row.partition)
      .where(isOpen)
      .where('epoch', '=', row.epoch),
);

/**
 * Returns which rows of a partition come before the first of the other whose messages are in one order with its: of
 * what is reported, and of the backfill. One that waits for a retry is no longer waited for.
 */
const readBefore = async (
  db: Kysely<Schema>,
  slot: number,
  partition: string,
): Promise<(row: Pick<OpenRow, 'written_ms'>) => boolean> => {
  if (isBackfill(partition)) {
    const [other] = (await firstOpen(db, { slot, partition: reportedPartition(partition) })).rows;
    const isAwaited = other !== undefined && (other.epoch > 0 || other.begun === 0);
    return (row) => !isAwaited || row.written_ms <= other.written_ms;
  }
  if (!isReported(partition)) return () => true;
  const [other] = (await firstOpen(db, { slot, partition: backfillPartition(partition) })).rows;
  return (row) => other === undefined || row.written_ms < other.written_ms;
};

type Claimed = ReturnType<typeof claimedColumns>;

type Settled = Pick<
  Selectable<Schema['inbox']>,
  'state' | 'reason' | 'sentence' | 'changed_ms' | 'untold'
>;

const settleRow = statement((db, row: Claimed & Settled) =>
  db
    .updateTable('inbox')
    .set({
      state: row.state,
      reason: row.reason,
      sentence: row.sentence,
      message: null,
      begun: 0,
      changed_ms: row.changed_ms,
      untold: row.untold,
    })
    .where(isClaimed(row)),
);

const messageOf = ({ message, content_hash, reason }: OpenRow): Row['message'] => {
  if (content_hash === DELETED) return 'deleted';
  if (reason !== null) return 'skipped';
  return message === null ? 'unread' : (JSON.parse(message) as StoredMessage);
};

/** A row as it is once it is claimed. */
const toRow = (row: OpenRow, partition: string, epoch: number): Row => ({
  ref: { channel: rowChannel(row), id: row.message_id },
  purpose: lateIn(row.purpose) === undefined ? row.purpose : WATCH,
  partition,
  to: lateIn(row.purpose),
  position: row.position,
  authorId: row.author_id,
  message: messageOf(row),
  skip: row.reason ?? undefined,
  contentHash: row.content_hash,
  revision: row.revision,
  epoch,
  attempts: row.attempts + 1,
  mayExist: row.begun > 0,
  sinceMs: row.changed_ms,
  isMissed:
    row.purpose === WATCH && row.revision === 1 && row.changed_ms - row.written_ms > MISSED_MS,
});

/**
 * Creates the part of the inbox that workers use: each claims rows under the tenure of their
 * partition. Only that tenure settles or releases them, unless the message changes or a later
 * tenure claims them.
 */
export const createClaims = ({ store, now }: InboxDeps) => ({
  /**
   * Claims the first rows of a partition, at most `limit`; none when the first is not due or
   * belongs to a later tenure, or waits for earlier ones: what is reported for those of the backfill, not long, and
   * those for it. What an earlier tenure left joins a backfill that has earlier ones. `nextDueMs` is the time of
   * the next claim if nothing arrives earlier.
   *
   * @param passed rows that are left where they are, as if they were not there
   * @param isAlone true of a space whose rows are claimed one at a time, without any other
   */
  claim: (
    partition: string,
    limit: number,
    { epoch }: Pick<Tenure, 'epoch'>,
    passed?: PassedOver,
    isAlone: (space: Space) => boolean = () => false,
  ) =>
    store.write(async (db): Promise<Claimable> => {
      const atMs = now();
      const slot = slotOf(partition);
      const rows: Row[] = [];
      const first = { slot, partition, limit };
      const open = passed ? await openBesides(db, first, passed) : (await openRows(db, first)).rows;
      const [head] = open;
      if (!head) return { rows, nextDueMs: undefined };
      const isBefore = await readBefore(db, slot, partition);
      if (!isBefore(head)) {
        const untilMs = (isBackfill(partition) ? atMs : head.changed_ms) + ORDER_MS;
        if (untilMs > atMs && untilMs - atMs <= ORDER_MS) return { rows, nextDueMs: untilMs };
        if (head.epoch === epoch) {
          await moveLeft(db, { slot, partition, epoch, missed: backfillPartition(partition) });
          return { rows, nextDueMs: atMs };
        }
      }
      const ready = isBefore(head) ? open.filter(isBefore) : open;
      for (const row of ready) {
        const { due_ms: dueMs, changed_ms: sinceMs } = row;
        const space = { platform: row.platform, id: row.space_id };
        if (dueMs > atMs && dueMs - atMs <= LONGEST_AHEAD_MS)
          return { rows, nextDueMs: dueMs, notDue: { space, sinceMs } };
        const [claimed] = rows;
        if (claimed && (isAlone(space) || isAlone(claimed.ref.channel.space)))
          return { rows, nextDueMs: undefined, isCut: true };
        const { changed } = await claimRow(db, { ...row, partition, epoch });
        if (changed === 0) break;
        rows.push(toRow(row, partition, epoch));
      }
      return { rows, nextDueMs: ready.length < open.length ? atMs : undefined };
    }, SEPARATE_RELAXED),

  /**
   * Settles a row within a transaction; returns false when the message has changed and so waits
   * again. Of one for a late channel nothing is kept but what failed; where nothing else was shown of this state of the
   * message, that is its outcome, unless the channel takes nothing of it any more.
   */
  settle: async (db: Transaction<Schema>, row: Row, outcome: Outcome): Promise<boolean> => {
    const reason = 'reason' in outcome ? outcome.reason : null;
    if (row.to !== undefined && outcome.state !== 'dead') {
      const { numDeletedRows } = await db
        .deleteFrom('inbox')
        .where(isClaimed(claimedColumns(row)))
        .executeTakeFirst();
      if (numDeletedRows > 0n && reason !== 'not-watched')
        await db
          .updateTable('inbox')
          .set({ state: outcome.state, reason, changed_ms: now() })
          .where(isRow(keyColumns(row)))
          .where('state', '=', 'skipped')
          .where('content_hash', '=', row.contentHash)
          .execute();
      return numDeletedRows > 0n;
    }
    const sentence = 'sentence' in outcome ? writeSentence(outcome.sentence) : null;
    const { state } = outcome;
    const untold = state === 'dead' ? UNTOLD : TOLD;
    const settled = { state, reason, sentence, changed_ms: now(), untold };
    return (await settleRow(db, { ...claimedColumns(row), ...settled })).changed > 0;
  },

  /**
   * Moves a row into a partition of its own within a transaction, so that it delays no other;
   * resolves with that partition, or with undefined when the message has changed and so waits again.
   *
   * @param isTried false when the attempt does not count
   * @param sentence why it waits; undefined where nothing failed
   */
  stepAside: async (
    db: Transaction<Schema>,
    row: Row,
    how: { readonly isTried: boolean; readonly dueMs: number; readonly sentence?: Sentence },
  ): Promise<string | undefined> => {
    const isLateDeletion = row.to !== undefined && row.message === 'deleted';
    const stays = isOfQuote(row) || isLateDeletion;
    const partition = stays ? row.partition : ownPartition('change', row.ref);
    const moved = await db
      .updateTable('inbox')
      .set({
        partition_key: partition,
        slot: slotOf(partition),
        // Epochs of two partitions cannot be compared.
        epoch: 0,
        attempts: row.attempts - (how.isTried ? 0 : 1),
        due_ms: how.dueMs,
        sentence: how.sentence ? writeSentence(how.sentence) : null,
      })
      .where(isClaimed(claimedColumns(row)))
      .returning('partition_key')
      .executeTakeFirst();
    return moved?.partition_key;
  },

  /**
   * Releases rows; those that were not tried do not count the attempt.
   *
   * @param sentence why the first one waits, and with it those of its space that were tried
   */
  release: (
    rows: readonly Row[],
    { tried, dueMs, sentence }: { tried: number; dueMs: number; sentence?: Sentence },
  ) =>
    store.write(async (db) => {
      const [failed] = rows.map(spaceOf);
      for (const [index, row] of rows.entries())
        await db
          .updateTable('inbox')
          .set({
            epoch: 0,
            attempts: index < tried ? row.attempts : row.attempts - 1,
            due_ms: index < tried ? dueMs : 0,
            ...(index < tried && sentence && spaceOf(row) === failed
              ? { sentence: writeSentence(sentence) }
              : {}),
          })
          .where(isClaimed(claimedColumns(row)))
          .execute();
    }, RELAXED),

  /** Has the rows of slots tried at once that wait for a time: the clock on which that was counted was set. */
  clockSet: async (slots: readonly number[]): Promise<void> => {
    if (slots.length === 0) return;
    await store.write(
      (db) =>
        db
          .updateTable('inbox')
          .set({ due_ms: 0 })
          .where('slot', 'in', slots)
          .where(isOpen)
          .where('due_ms', '>', 0)
          .execute(),
      RELAXED,
    );
  },

  /** Makes the rows of a slot that earlier tenures left open wait again. */
  takeOver: async (slot: number, { epoch }: Pick<Tenure, 'epoch'>): Promise<void> => {
    await store.write(
      (db) =>
        db
          .updateTable('inbox')
          .set({ epoch })
          .where('slot', '=', slot)
          .where(isOpen)
          .where('epoch', '<', epoch)
          .execute(),
      RELAXED,
    );
  },
});
