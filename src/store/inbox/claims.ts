import type { Selectable, Transaction } from 'kysely';
import type { Tenure } from '../../ports/leases.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { channelOf, isKey, isOpen } from './columns.ts';
import { DELETED, type Outcome, type Row } from './row.ts';
import type { StoredMessage } from './stored-message.ts';

export interface ClaimDeps {
  readonly store: Store;
  readonly now: () => number;
}

/** Longest delay of an attempt. A row that is due even later is due now: the clock was set back. */
const LONGEST_AHEAD_MS = 900_000;

type InboxRow = Selectable<Schema['inbox']>;

const messageOf = ({ message, content_hash, reason }: InboxRow): Row['message'] => {
  if (content_hash === DELETED) return 'deleted';
  if (reason !== null) return 'skipped';
  return message === null ? 'unread' : (JSON.parse(message) as StoredMessage);
};

const toRow = (row: InboxRow, epoch: number): Row => ({
  ref: { channel: channelOf(row), id: row.message_id },
  purpose: row.purpose,
  partition: row.partition_key,
  position: row.position,
  authorId: row.author_id,
  message: messageOf(row),
  skip: row.reason ?? undefined,
  contentHash: row.content_hash,
  revision: row.revision,
  epoch,
  attempts: row.attempts,
  // This claim is counted.
  mayExist: row.begun > 1,
});

/**
 * Creates the part of the inbox that workers use: each claims rows under the tenure of their
 * partition. Only that tenure settles or releases them, unless the message changes or a later
 * tenure claims them.
 */
export const createClaims = ({ store, now }: ClaimDeps) => ({
  /**
   * Claims the first rows of a partition, at most `limit`; none when the first is not due or
   * belongs to a later tenure. `nextDueMs` is the time of the next claim if nothing arrives
   * earlier.
   */
  claim: (partition: string, limit: number, { epoch }: Pick<Tenure, 'epoch'>) =>
    store.write(
      async (db): Promise<{ rows: readonly Row[]; nextDueMs: number | undefined }> => {
        const atMs = now();
        const open = await db
          .selectFrom('inbox')
          .select(['platform', 'channel_id', 'message_id', 'purpose', 'due_ms'])
          .where('partition_key', '=', partition)
          .where(isOpen)
          .orderBy('written_ms')
          .orderBy('position')
          .orderBy('purpose')
          .limit(limit)
          .execute();
        const rows: Row[] = [];
        for (const { due_ms: dueMs, ...key } of open) {
          if (dueMs > atMs && dueMs - atMs <= LONGEST_AHEAD_MS) return { rows, nextDueMs: dueMs };
          // Another process may have changed it since it was read.
          const claimed = await db
            .updateTable('inbox')
            .set((eb) => ({
              state: 'working',
              epoch,
              attempts: eb('attempts', '+', 1),
              begun: eb('begun', '+', 1),
            }))
            .where((eb) => eb.and(key))
            .where('partition_key', '=', partition)
            .where(isOpen)
            .where('epoch', '<=', epoch)
            .where('due_ms', '=', dueMs)
            .returningAll()
            .executeTakeFirst();
          if (!claimed) break;
          rows.push(toRow(claimed, epoch));
        }
        return { rows, nextDueMs: undefined };
      },
      { durable: false },
    ),

  /** True while no later tenure has claimed the row and the message is unchanged. */
  holds: async (row: Row): Promise<boolean> =>
    (await store
      .selectFrom('inbox')
      .select('revision')
      .where(isKey(row))
      .where('state', '=', 'working')
      .where('epoch', '=', row.epoch)
      .where('revision', '=', row.revision)
      .executeTakeFirst()) !== undefined,

  /**
   * Settles a row within a transaction; returns false when the message has changed and so waits
   * again.
   */
  settle: async (db: Transaction<Schema>, row: Row, outcome: Outcome): Promise<boolean> => {
    const { numUpdatedRows } = await db
      .updateTable('inbox')
      .set({
        state: outcome.state,
        reason: 'reason' in outcome ? outcome.reason : null,
        message: null,
        begun: 0,
        changed_ms: now(),
      })
      .where(isKey(row))
      .where('state', '=', 'working')
      .where('epoch', '=', row.epoch)
      .where('revision', '=', row.revision)
      .executeTakeFirstOrThrow();
    return numUpdatedRows > 0n;
  },

  /** Releases rows; those that were not tried do not count the attempt. */
  release: (rows: readonly Row[], { tried, dueMs }: { tried: number; dueMs: number }) =>
    store.write(
      async (db) => {
        for (const [index, row] of rows.entries())
          await db
            .updateTable('inbox')
            .set({
              state: 'waiting',
              attempts: index < tried ? row.attempts : row.attempts - 1,
              due_ms: index < tried ? dueMs : 0,
            })
            .where(isKey(row))
            .where('state', '=', 'working')
            .where('epoch', '=', row.epoch)
            .where('revision', '=', row.revision)
            .execute();
      },
      { durable: false },
    ),

  /**
   * Makes the rows that earlier tenures left open wait again. Each may have been attempted, because
   * their claims can be lost with the machine.
   */
  takeOver: async (partition: string, { epoch }: Pick<Tenure, 'epoch'>): Promise<void> => {
    await store.write(
      (db) =>
        db
          .updateTable('inbox')
          .set((eb) => ({ state: 'waiting', epoch, begun: eb('begun', '+', 1) }))
          .where('partition_key', '=', partition)
          .where(isOpen)
          .where('epoch', '<', epoch)
          .execute(),
      { durable: false },
    );
  },
});
