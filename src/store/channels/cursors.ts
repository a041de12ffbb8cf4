import {
  channelAround,
  channelKey,
  isSameChannel,
  keyOf,
  type Channel,
  type MessageRef,
  type Space,
} from '../../model/place.ts';
import type { Store } from '../index.ts';
import { isWatched } from '../inbox/row.ts';
import { channelColumns, deleteRowsAround, readRow } from '../rows.ts';
import { RELAXED } from '../writer.ts';

/** Number of a channel's last messages that are read again to find unreported changes. */
const MOST_RECENT = 50;

/** Delay of cursor writes: a longer one saves writes, a crash costs a fetch of the last messages. */
const LAG_MS = 1_000;

/** Rows of one statement, whose parameters databases bound. */
const ROWS_AT_ONCE = 500;

export type CursorStore = ReturnType<typeof createCursorStore>;

/**
 * Stores each channel's cursor: messages up to it are in the inbox, or were before they were
 * cleared.
 */
export const createCursorStore = (store: Store, onFault: (fault: unknown) => void) => {
  const ahead = new Map<string, { readonly channel: Channel; readonly position: string }>();

  const flush = async (): Promise<void> => {
    const moved = [...ahead].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, cursor]) => cursor);
    ahead.clear();
    if (moved.length === 0) return;
    const rows = moved.map(({ channel, position }) => ({
      ...channelColumns(channel),
      space_id: channel.space.id,
      parent_id: channel.parentId ?? null,
      position,
    }));
    await store.write(async (db) => {
      // Processes that write the same rows take their locks in one order.
      for (let at = 0; at < rows.length; at += ROWS_AT_ONCE)
        await db
          .insertInto('channel_cursor')
          .values(rows.slice(at, at + ROWS_AT_ONCE))
          .onConflict((conflict) =>
            conflict
              .columns(['platform', 'channel_id'])
              .doUpdateSet((eb) => ({ position: eb.ref('excluded.position') }))
              .whereRef('channel_cursor.position', '<', 'excluded.position'),
          )
          .execute();
    }, RELAXED);
  };
  const flushing = setInterval(() => void flush().catch(onFault), LAG_MS).unref();

  return {
    of: async (channel: Channel): Promise<string | undefined> =>
      ahead.get(channelKey(channel))?.position ??
      (await readRow(store, 'channel_cursor', channelColumns(channel), ['position']))?.position,

    /** Records that everything up to this position is in the inbox. A cursor never moves back. */
    advance: (channel: Channel, position: string): void => {
      const key = channelKey(channel);
      if ((ahead.get(key)?.position ?? '') < position) ahead.set(key, { channel, position });
    },

    /**
     * Reads the channel's last messages after a position that have mirrors or are still to be
     * mirrored.
     */
    recent: async (
      channel: Channel,
      after: string,
    ): Promise<readonly { readonly ref: MessageRef; readonly position: string }[]> => {
      const rows = await store
        .selectFrom('inbox')
        .select(['message_id', 'position'])
        .where((eb) => eb.and(channelColumns(channel)))
        .where(isWatched)
        .where('state', 'in', ['posted', 'waiting'])
        .where('position', '>', after)
        .orderBy('position', 'desc')
        .limit(MOST_RECENT)
        .execute();
      return rows
        .map(({ message_id: id, position }) => ({ ref: { channel, id }, position }))
        .toReversed();
    },

    /** Deletes the cursors of a channel and its threads. */
    remove: (channel: Channel): Promise<void> => {
      for (const [key, { channel: at }] of ahead)
        if (isSameChannel(channelAround(at), channel) || isSameChannel(at, channel))
          ahead.delete(key);
      return store.write((db) => deleteRowsAround(db, 'channel_cursor', channel), RELAXED);
    },

    /** Drops the cursors of a space that are not stored yet. */
    forgetSpace: (space: Space): void => {
      for (const [key, { channel }] of ahead)
        if (keyOf(channel.space) === keyOf(space)) ahead.delete(key);
    },

    /** Deletes the cursors before a position, from which nothing is fetched any more. */
    clear: (platform: string, before: string): Promise<void> =>
      store.write(async (db) => {
        await db
          .deleteFrom('channel_cursor')
          .where('platform', '=', platform)
          .where('position', '<', before)
          .execute();
      }, RELAXED),

    [Symbol.asyncDispose]: async (): Promise<void> => {
      clearInterval(flushing);
      await flush();
    },
  };
};
