import { sql, type Transaction } from 'kysely';
import { messageKey, type MessageRef } from '../../model/place.ts';
import { readRow } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { changeOf, CLEARED, insertWithoutMessage, partitionOfChange } from './changed-rows.ts';
import {
  DELETED,
  FRESH,
  isRow,
  keyColumns,
  SOURCE_KEY,
  sourceColumns,
  sourceIn,
  WATCH,
  type RowKey,
} from './row.ts';

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
/** Begins the hash of a mirror that is to quote anew; the rest is what it shows. */
const OUTDATED = '~';

/** The hash of what a mirror shows, also where its quote is outdated. */
export const shownHash = (contentHash: string): string =>
  contentHash.startsWith(OUTDATED) ? contentHash.slice(OUTDATED.length) : contentHash;

/** Lists the answers whose copies quote a message, the newest first, at most `most`. */
const answersTo = async (
  db: Transaction<Schema>,
  message: MessageRef,
  most: number,
): Promise<readonly RowKey[]> => {
  const answers = await db
    .selectFrom('mirror')
    .select(SOURCE_KEY)
    .where('quoted', '=', messageKey(message))
    .groupBy([...SOURCE_KEY])
    .orderBy(({ fn }) => fn.max('posted_ms'), 'desc')
    .limit(most)
    .execute();
  return answers.map(sourceIn);
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
    const [own, slot] = changeOf(ref, 'quote');
    const rows = await db
      .updateTable('inbox')
      .set({
        ...FRESH,
        ...partitionOfChange(own, slot),
        // What waits in another partition delays others.
        due_ms: sql<number>`CASE WHEN state = 'waiting' AND partition_key <> ${own} THEN 0
        ELSE ${dueMs} END`,
        changed_ms: nowMs,
        revision: sql<number>`revision + 1`,
      })
      .where(isRow(keyColumns({ ref, purpose })))
      .where('content_hash', '<>', DELETED)
      .returning('partition_key')
      .execute();
    partitions.push(...rows.map(({ partition_key }) => partition_key));
    await db
      .updateTable('mirror')
      .set('content_hash', sql<string>`${OUTDATED} || content_hash`)
      .where((eb) => eb.and({ ...sourceColumns(ref), purpose, quoted }))
      .where('content_hash', '<>', '')
      .where('content_hash', 'not like', `${OUTDATED}%`)
      .execute();
  }
  return partitions;
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
