import type { APIThreadChannel } from 'discord.js';
import { createLru } from '../../src/async/lru.ts';
import type { Channel } from '../../src/model/place.ts';
import { channelOf } from './ids.ts';

/** Threads that are remembered, archived ones too: their messages can still be edited. */
const MOST_THREADS = 50_000;

export type ThreadParents = ReturnType<typeof createThreadParents>;

/** Creates the memory of the channels of threads, which messages do not give. */
export const createThreadParents = (most = MOST_THREADS) => {
  const parents = createLru<string, { readonly guildId: string; readonly parentId: string }>(most);

  const remove = (isGone: (id: string, guildId: string, parentId: string) => boolean): void => {
    for (const [id, { guildId, parentId }] of parents)
      if (isGone(id, guildId, parentId)) parents.delete(id);
  };

  return {
    /** The channel for an id; a thread's has its parent. */
    channel: (guildId: string | undefined, id: string): Channel => {
      const known = parents.get(id);
      // Active threads are moved to the end, as the first ones are forgotten first.
      if (known) parents.set(id, known);
      return channelOf(guildId, id, known?.parentId);
    },
    note: (
      guildId: string,
      { id, parent_id: parentId }: Pick<APIThreadChannel, 'id' | 'parent_id'>,
    ): void => {
      if (parentId) parents.set(id, { guildId, parentId });
    },
    /** Removes a thread, or a channel with its threads. */
    removeChannel: (gone: string): void =>
      remove((id, _, parentId) => id === gone || parentId === gone),
    removeGuild: (gone: string): void => remove((_, guildId) => guildId === gone),
  };
};
