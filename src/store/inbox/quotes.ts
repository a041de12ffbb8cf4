import { sql, type Transaction } from 'kysely';
import { messageKey, type MessageRef } from '../../model/place.ts';
import { changeRows, readRow } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { changeOf, CLEARED, insertWithoutMessage, partitionOfChange } from './changed-rows.ts';
import { DELETED, FRESH, isRow, keyColumns, sourceColumns, WATCH, type RowKey } from './row.ts';

/** A message that a mirror quotes. */
export interface KnownQuote {
  readonly ref: MessageRef;
  /** Time at which it was read, ms since 1970. */
  readonly readMs: number;
}

/** Answers whose copies follow an edit of what they quote: each costs a translation. */
const MOST_AFTER_EDIT = 20;
/** Time after an edit for which a further one is awaited. */
const QUICK_MS = 2_000;
/** Answers from whose copies a deleted message goes in one transaction, and the transactions in which its row has more. */
export const AT_ONCE = 50;
export const MORE_TIMES = 19;

/** Lists the answers whose copies quote a message and are not to be made anew already, the newest first, at most `most`. */
const answersTo = async (
  db: Transaction<Schema>,
  message: MessageRef,
  most: number,
): Promise<readonly RowKey[]> => {
  const source = ['source_platform', 'source_space_id', 'source_channel_id', 'source_id'] as const;
  const answers = await db
    .selectFrom('mirror')
    .select([...source, 'purpose'])
    .where('quoted', '=', messageKey(message))
    .where('content_hash', '<>', '')
    .groupBy([...source, 'purpose'])
    .orderBy(({ fn }) => fn.max('posted_ms'), 'desc')
    .limit(most)
    .execute();
  return answers.map((row) => {
    const space = { platform: row.source_platform, id: row.source_space_id };
    const ref = { channel: { space, id: row.source_channel_id }, id: row.source_id };
    return { ref, purpose: row.purpose };
  });
};

/**
 * Has the copies of answers made anew, within a transaction, for the message that they quote. Resolves with the partitions
 * that must process them.
 *
 * @param dueMs time before which nothing is done, ms since 1970
 */
export const requote = async (
  db: Transaction<Schema>,
  answers: readonly RowKey[],
  message: MessageRef,
  nowMs: number,
  dueMs = 0,
): Promise<readonly string[]> => {
  const quoted = messageKey(message);
  const partitions: string[] = [];
  for (const { ref, purpose } of answers) {
    await insertWithoutMessage(db, { ref, purpose }, nowMs, CLEARED);
    const rows = await db
      .updateTable('inbox')
      .set({ ...FRESH, changed_ms: nowMs })
      // What waits already delays others.
      .set('due_ms', sql<number>`CASE WHEN state = 'waiting' THEN 0 ELSE ${dueMs} END`)
      .set(partitionOfChange(...changeOf(ref, 'quote')))
      .set('revision', sql<number>`revision + 1`)
      .where(isRow(keyColumns({ ref, purpose })))
      .where('content_hash', '<>', DELETED)
      .returning('partition_key')
      .execute();
    partitions.push(...rows.map(({ partition_key }) => partition_key));
    await changeRows(
      db,
      'mirror',
      { ...sourceColumns(ref), purpose, quoted },
      { content_hash: '' },
    );
  }
  return partitions;
};

/**
 * Takes a deleted message from the copies of its newest 50 answers that still quote it, within a transaction. Resolves with the
 * partitions that must process them, and with whether there are more.
 */
export const requoteDeleted = async (
  db: Transaction<Schema>,
  message: MessageRef,
  nowMs: number,
): Promise<{ readonly partitions: readonly string[]; readonly isMore: boolean }> => {
  const answers = await answersTo(db, message, AT_ONCE + 1);
  const partitions = await requote(db, answers.slice(0, AT_ONCE), message, nowMs);
  return { partitions, isMore: answers.length > AT_ONCE };
};

/**
 * Has the newest 20 answers to a message that was edited quote it anew, within a transaction, once it is not edited again
 * soon. Resolves with the partitions that must process them, and when.
 */
export const requoteEdited = async (
  db: Transaction<Schema>,
  message: MessageRef,
  nowMs: number,
): Promise<{ readonly partitions: readonly string[]; readonly dueMs: number }> => {
  const answers = await answersTo(db, message, MOST_AFTER_EDIT);
  const dueMs = nowMs + QUICK_MS;
  return { partitions: await requote(db, answers, message, nowMs, dueMs), dueMs };
};

/** True of a message that is deleted, or was edited since it was read for a quote. */
export const isOutdated = async (
  db: Transaction<Schema>,
  { ref, readMs }: KnownQuote,
  nowMs: number,
): Promise<boolean> => {
  const key = keyColumns({ ref, purpose: WATCH });
  const row = await readRow(db, 'inbox', key, ['content_hash', 'revision', 'changed_ms']);
  if (!row || row.content_hash === DELETED) return row !== undefined;
  // A time to come is of a clock that was set back.
  return row.revision > 1 && row.changed_ms >= readMs && row.changed_ms <= nowMs;
};
