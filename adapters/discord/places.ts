import type { APIThreadChannel } from 'discord.js';
import type { Channel } from '../../src/model.ts';
import { channelOf } from './ids.ts';

type Thread = Pick<APIThreadChannel, 'id' | 'parent_id' | 'thread_metadata'>;

/** Which channel each active thread belongs to: messages do not say. */
export interface Places {
  channel(guildId: string | undefined, id: string): Channel;
  /** A thread as it is now; archived ones are forgotten. */
  thread(guildId: string, thread: Thread): void;
  /** A thread, or a channel with its threads. */
  removeChannel(id: string): void;
  removeGuild(guildId: string): void;
}

export const createPlaces = (): Places => {
  const parents = new Map<string, { readonly guildId: string; readonly parentId: string }>();
  return {
    channel: (guildId, id) => channelOf(guildId, id, parents.get(id)?.parentId),
    thread: (guildId, { id, parent_id: parentId, thread_metadata: state }) => {
      if (!parentId || state?.archived) parents.delete(id);
      else parents.set(id, { guildId, parentId });
    },
    removeChannel: (id) => {
      parents.delete(id);
      for (const [thread, { parentId }] of parents) if (parentId === id) parents.delete(thread);
    },
    removeGuild: (guildId) => {
      for (const [id, place] of parents) if (place.guildId === guildId) parents.delete(id);
    },
  };
};
