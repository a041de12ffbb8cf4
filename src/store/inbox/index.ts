import type { MessageRef, Space } from '../../model/place.ts';
import { createArrivalStore } from './arrivals.ts';
import { type ClaimDeps, createClaims } from './claims.ts';
import { isOpen, refColumns, rowChannel } from './row.ts';

export type InboxStore = ReturnType<typeof createInboxStore>;

/**
 * Creates the inbox: one durable row per message and purpose. The rows of a partition are processed
 * in order, by one tenure at a time. A change of the message makes its row wait again and
 * invalidates earlier results.
 */
export const createInboxStore = (deps: ClaimDeps) => {
  const { store } = deps;
  return {
    ...createArrivalStore(deps),
    ...createClaims(deps),

    /**
     * Lists the purposes for which a message is in the inbox, or was before its row was cleared and
     * its mirrors stayed.
     */
    purposes: async (ref: MessageRef): Promise<readonly string[]> => {
      const { channel, id } = ref;
      const rows = await store
        .selectFrom('inbox')
        .select('purpose')
        .where((eb) => eb.and(refColumns(ref)))
        .union(
          store
            .selectFrom('mirror')
            .select('purpose')
            .where('source_platform', '=', channel.space.platform)
            .where('source_channel_id', '=', channel.id)
            .where('source_id', '=', id),
        )
        .execute();
      return rows.map(({ purpose }) => purpose);
    },

    /** Lists the newest messages of a person in a space, at most `limit`. */
    writtenBy: async (
      { platform, id }: Space,
      authorId: string,
      limit: number,
    ): Promise<readonly MessageRef[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id', 'position'])
        .distinct()
        .where('platform', '=', platform)
        .where('author_id', '=', authorId)
        .where('space_id', '=', id)
        .where('state', '<>', 'skipped')
        .orderBy('position', 'desc')
        .limit(limit)
        .execute();
      return rows.map((row) => ({ channel: rowChannel(row), id: row.message_id }));
    },

    /** Lists the partitions that have open rows of a platform. */
    partitions: async (platform: string): Promise<readonly string[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select('partition_key')
        .distinct()
        .where('platform', '=', platform)
        .where(isOpen)
        .execute();
      return rows.map(({ partition_key }) => partition_key);
    },
  };
};
