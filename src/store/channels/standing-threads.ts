import type { Channel } from '../../model/place.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Store } from '../index.ts';

export type StandingThreads = ReturnType<typeof createStandingThreads>;

const columnsOf = ({ space, id }: Channel) => ({ platform: space.platform, channel_id: id });

/** Records which thread of a channel has the translations into a language, whatever its name. */
export const createStandingThreads = (store: Store) => ({
  /** Reads the recorded thread, which may be gone meanwhile; undefined where there is none. */
  of: async (channel: Channel, language: string): Promise<MirrorTarget | undefined> => {
    const row = await store
      .selectFrom('standing_thread')
      .select(['target_channel_id', 'target_thread_id'])
      .where((eb) => eb.and({ ...columnsOf(channel), language }))
      .executeTakeFirst();
    if (!row) return undefined;
    const { target_channel_id: id, target_thread_id: threadId } = row;
    return {
      channel: id === channel.id ? channel : { space: channel.space, id, parentId: channel.id },
      ...(threadId === '' ? {} : { threadId }),
    };
  },
  put: (channel: Channel, language: string, target: MirrorTarget): Promise<void> =>
    store.write(async (db) => {
      const found = {
        target_channel_id: target.channel.id,
        target_thread_id: target.threadId ?? '',
      };
      await db
        .insertInto('standing_thread')
        .values({ ...columnsOf(channel), space_id: channel.space.id, language, ...found })
        .onConflict((conflict) =>
          conflict.columns(['platform', 'channel_id', 'language']).doUpdateSet(found),
        )
        .execute();
    }),
  /** Deletes the records of a channel. */
  remove: (channel: Channel): Promise<void> =>
    store.write(async (db) => {
      await db
        .deleteFrom('standing_thread')
        .where((eb) => eb.and(columnsOf(channel)))
        .execute();
    }),
});
