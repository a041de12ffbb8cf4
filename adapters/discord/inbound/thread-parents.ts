import type { APIThreadChannel } from 'discord.js';
import type { Channel } from '../../../src/model/place.ts';
import { createLru } from '../../../src/async/lru.ts';
import { channelOf } from '../ids.ts';

/** Knows the channel that each thread belongs to: messages do not say. */
export interface ThreadParents {
  /** The channel, or the thread with the channel that it belongs to. */
  channel(guildId: string | undefined, id: string): Channel;
  note(guildId: string, thread: Pick<APIThreadChannel, 'id' | 'parent_id'>): void;
  /** A thread, or a channel with its threads. */
  removeChannel(id: string): void;
  removeGuild(guildId: string): void;
}

/** Threads that are remembered, archived ones too: what is said in them can still be edited. */
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
      // Threads in which something happens are not the ones to be forgotten.
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
