import { sql, type Transaction } from 'kysely';
import { messageKey, type MessageRef } from '../../model/place.ts';
import { changeRows } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { changeOf, CLEARED, insertWithoutMessage, partitionOfChange } from './changed-rows.ts';
import { DELETED, FRESH, isRow, keyColumns } from './row.ts';

/**
 * Has the copies that quote a message made anew, within a transaction: it is deleted, and their answers are not. Resolves
 * with the partitions that must process them.
 */
export const requote = async (
  db: Transaction<Schema>,
  message: MessageRef,
  nowMs: number,
): Promise<readonly string[]> => {
  const quoted = messageKey(message);
  const answers = await db
    .selectFrom('mirror')
    .select(['source_platform', 'source_space_id', 'source_channel_id', 'source_id', 'purpose'])
    .distinct()
    .where('quoted', '=', quoted)
    .execute();
  const partitions: string[] = [];
  for (const { purpose, ...source } of answers) {
    const space = { platform: source.source_platform, id: source.source_space_id };
    const ref = { channel: { space, id: source.source_channel_id }, id: source.source_id };
    await insertWithoutMessage(db, { ref, purpose }, nowMs, CLEARED);
    const rows = await db
      .updateTable('inbox')
      .set({ ...FRESH, changed_ms: nowMs })
      .set(partitionOfChange(...changeOf(ref, 'quote')))
      .set('revision', sql<number>`revision + 1`)
      .where(isRow(keyColumns({ ref, purpose })))
      .where('content_hash', '<>', DELETED)
      .returning('partition_key')
      .execute();
    partitions.push(...rows.map(({ partition_key }) => partition_key));
  }
  await changeRows(db, 'mirror', { quoted }, { content_hash: '' });
  return partitions;
};
