import type { Transaction } from 'kysely';
import type { Member } from '../../model/member.ts';
import type { MessageRef } from '../../model/place.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { abandoned, channelOf, isOpen, SETTLED } from './columns.ts';
import { GONE, type Partition } from './row.ts';

type Person = Pick<Member, 'platform' | 'id'>;

const FORGOTTEN = 'forgotten';

/**
 * Within a transaction: nothing tells any more who wrote what. Whoever works in the lane of an open row
 * takes away what is unfinished of it, and settles it.
 */
export const forgetAuthor = async (
  db: Transaction<Schema>,
  { platform, id }: Person,
  nowMs: number,
): Promise<void> => {
  await db
    .deleteFrom('inbox')
    .where('platform', '=', platform)
    .where('author_id', '=', id)
    .where('state', 'in', SETTLED)
    .execute();
  await db
    .updateTable('inbox')
    .set(abandoned(FORGOTTEN, nowMs))
    .where('platform', '=', platform)
    .where('author_id', '=', id)
    .where('content_hash', '<>', GONE)
    .execute();
  await db
    .updateTable('inbox')
    .set({ author_id: '' })
    .where('platform', '=', platform)
    .where('author_id', '=', id)
    .execute();
};

/** What waits or was begun of somebody's, or of those who are forgotten. */
export const openOf = async (
  store: Store,
  { platform, id }: Person,
): Promise<readonly { readonly ref: MessageRef; readonly lane: Partition }[]> => {
  const rows = await store
    .selectFrom('inbox')
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'lane'])
    .where('platform', '=', platform)
    .where((eb) => eb.or([eb('author_id', '=', id), eb('reason', '=', FORGOTTEN)]))
    .where(isOpen)
    .execute();
  return rows.map((row) => ({
    ref: { channel: channelOf(row), id: row.message_id },
    lane: { platform, lane: row.lane },
  }));
};
