import type { MessageRef, Space } from '../../model/place.ts';
import { createArrivalStore } from './arrivals.ts';
import { createClaims, type ClaimDeps } from './claims.ts';
import { channelOf, isOpen } from './columns.ts';
import type { Partition } from './row.ts';

export type InboxStore = ReturnType<typeof createInboxStore>;

/**
 * Durable rows of what people wrote, one for each message and purpose. A row is done in the order of
 * its lane, by one owner at a time, under a lease; a change of the message makes it wait anew, and
 * what was made of its former state no longer counts.
 */
export const createInboxStore = (deps: ClaimDeps) => {
  const { store } = deps;
  return {
    ...createArrivalStore(deps),
    ...createClaims(deps),

    /** What a message is in here for, or was before its row was cleared and of which copies stand. */
    purposes: async ({ channel, id }: MessageRef): Promise<readonly string[]> => {
      const { platform } = channel.space;
      const rows = await store
        .selectFrom('inbox')
        .select('purpose')
        .where((eb) => eb.and({ platform, channel_id: channel.id, message_id: id }))
        .union(
          store
            .selectFrom('copy')
            .select('purpose')
            .where((eb) => eb.and({ platform, source_channel_id: channel.id, source_id: id })),
        )
        .execute();
      return rows.map(({ purpose }) => purpose);
    },

    /** The newest messages of somebody in a space, at most `limit`. */
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
      return rows.map((row) => ({ channel: channelOf(row), id: row.message_id }));
    },

    /** The lanes in which something waits or was begun. */
    lanes: (platform: string): Promise<readonly Partition[]> =>
      store
        .selectFrom('inbox')
        .select(['platform', 'lane'])
        .distinct()
        .where('platform', '=', platform)
        .where(isOpen)
        .execute(),
  };
};
