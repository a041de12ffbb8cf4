import { type Selectable, sql, type Transaction } from 'kysely';
import type { MessageRef } from '../../model/place.ts';
import { slotOf } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { DELETED, FRESH, isInPause, keyColumns, ownPartition, type RowKey } from './row.ts';

type InboxColumns = Selectable<Schema['inbox']>;

const IN_PLACE = sql`inbox.state = 'waiting' AND NOT (${isInPause})`;

/**
 * Partition of a changed message: its own once the row is settled, so that it delays no new
 * messages, or where it waited for the end of a pause.
 */
export const partitionOfChange = (own: string, slot: number) => ({
  partition_key: sql<string>`CASE WHEN ${IN_PLACE} THEN inbox.partition_key ELSE ${own} END`,
  slot: sql<number>`CASE WHEN ${IN_PLACE} THEN inbox.slot ELSE ${slot} END`,
});

/** The own partition of a message that changed, or whose quote did, and its slot. */
export const changeOf = (
  ref: MessageRef,
  kind: 'change' | 'quote' = 'change',
): readonly [string, number] => {
  const own = ownPartition(kind, ref);
  return [own, slotOf(own)];
};

export const partitionPlaceOf = (partition: string) => ({
  partition_key: partition,
  slot: slotOf(partition),
});

/** Inserts a row of whose message only its place is known, unless there is one. */
export const insertWithoutMessage = async (
  db: Transaction<Schema>,
  { ref, purpose }: RowKey,
  changed_ms: number,
  outcome: Pick<InboxColumns, 'content_hash' | 'state' | 'reason' | 'begun'>,
): Promise<void> => {
  await db
    .insertInto('inbox')
    .values({
      ...keyColumns({ ref, purpose }),
      space_id: ref.channel.space.id,
      parent_id: ref.channel.parentId ?? null,
      author_id: '',
      ...partitionPlaceOf(ownPartition('deleted', ref)),
      written_ms: 0,
      position: '',
      message: null,
      revision: 1,
      changed_ms,
      ...FRESH,
      ...outcome,
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
};

/** The row of a deleted message of which nothing was reported yet. */
export const DELETION = {
  content_hash: DELETED,
  state: 'skipped',
  reason: 'deleted',
  begun: 0,
} as const;
/** The row of a message that has mirrors, and whose own rows were cleared. */
export const CLEARED = {
  content_hash: 'cleared',
  state: 'posted',
  reason: null,
  begun: 1,
} as const;
