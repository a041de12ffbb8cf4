import type { Transaction } from 'kysely';
import type { Member } from '../../model/member.ts';
import type { MessageRef } from '../../model/place.ts';
import { abandoned, DELETED, isOpen, rowChannel, SETTLED } from './row.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';

type Person = Pick<Member, 'platform' | 'id'>;

const FORGOTTEN = 'forgotten';

/**
 * Removes, within a transaction, all data that links messages to their author. The worker of an
 * open row's partition deletes its unfinished mirrors and settles it.
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
    .where('content_hash', '<>', DELETED)
    .execute();
  await db
    .updateTable('inbox')
    .set({ author_id: '' })
    .where('platform', '=', platform)
    .where('author_id', '=', id)
    .execute();
};

/** Lists the open rows of a person's messages, and those of people who were forgotten. */
export const openRowsOf = async (
  store: Store,
  { platform, id }: Person,
): Promise<readonly { readonly ref: MessageRef; readonly partition: string }[]> => {
  const rows = await store
    .selectFrom('inbox')
    .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'partition_key'])
    .where('platform', '=', platform)
    .where((eb) => eb.or([eb('author_id', '=', id), eb('reason', '=', FORGOTTEN)]))
    .where(isOpen)
    .execute();
  return rows.map((row) => ({
    ref: { channel: rowChannel(row), id: row.message_id },
    partition: row.partition_key,
  }));
};
