import type { Channel } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Store } from '../index.ts';
import { channelColumns, deleteRows, putRow, readRow } from '../rows.ts';

export type StandingThreads = ReturnType<typeof createStandingThreads>;

/** Records which thread of a channel has the translations into a language, whatever its name. */
export const createStandingThreads = (store: Store) => ({
  /** Reads the recorded thread, which may be gone meanwhile; undefined where there is none. */
  of: async (channel: Channel, language: string): Promise<MirrorTarget | undefined> => {
    const row = await readRow(store, 'standing_thread', { ...channelColumns(channel), language }, [
      'target_channel_id',
      'target_thread_id',
    ]);
    if (!row) return undefined;
    const { target_channel_id: id, target_thread_id: threadId } = row;
    return {
      channel: id === channel.id ? channel : { space: channel.space, id, parentId: channel.id },
      ...(threadId === '' ? {} : { threadId }),
    };
  },
  put: (channel: Channel, language: string, target: MirrorTarget): Promise<void> =>
    store.write((db) =>
      putRow(
        db,
        'standing_thread',
        { ...channelColumns(channel), language },
        { target_channel_id: target.channel.id, target_thread_id: target.threadId ?? '' },
        { space_id: channel.space.id },
      ),
    ),
  /** Deletes the records of a channel. */
  remove: (channel: Channel): Promise<number> =>
    store.write((db) => deleteRows(db, 'standing_thread', channelColumns(channel))),
});
