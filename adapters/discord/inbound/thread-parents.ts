import type { APIThreadChannel } from 'discord.js';
import type { Channel } from '../../../src/model/place.ts';
import { createLru } from '../../../src/async/lru.ts';
import { channelOf } from '../ids.ts';

/** Parent channels of threads, which messages do not give. */
export interface ThreadParents {
  /** The channel for an id; a thread's has its parent. */
  channel(guildId: string | undefined, id: string): Channel;
  note(guildId: string, thread: Pick<APIThreadChannel, 'id' | 'parent_id'>): void;
  /** Removes a thread, or a channel with its threads. */
  removeChannel(id: string): void;
  removeGuild(guildId: string): void;
}

/** Threads that are remembered, archived ones too: their messages can still be edited. */
const KEPT = 50_000;

export const createThreadParents = (kept = KEPT): ThreadParents => {
  const parents = createLru<string, { readonly guildId: string; readonly parentId: string }>(kept);

  const remove = (isGone: (id: string, guildId: string, parentId: string) => boolean): void => {
    for (const [id, { guildId, parentId }] of parents)
      if (isGone(id, guildId, parentId)) parents.delete(id);
  };

  return {
    channel: (guildId, id) => {
      const known = parents.get(id);
      // Active threads are moved to the end, as the first ones are forgotten first.
      if (known) parents.set(id, known);
      return channelOf(guildId, id, known?.parentId);
    },
    note: (guildId, { id, parent_id: parentId }) => {
      if (parentId) parents.set(id, { guildId, parentId });
    },
    removeChannel: (gone) => remove((id, _, parentId) => id === gone || parentId === gone),
    removeGuild: (gone) => remove((_, guildId) => guildId === gone),
  };
};
