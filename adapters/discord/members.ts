import { Routes, type APIGuildMember } from 'discord.js';
import type { Channel } from '../../src/model.ts';
import type { Api } from './api.ts';
import { guildIdOf } from './ids.ts';
import type { RawMessage } from './message.ts';
import { createRecent } from '../../src/recent.ts';

type Shown = RawMessage['member'];

/** How people are called on a server: the gateway says it with each message, REST never does. */
export interface Members {
  /** A message as the gateway told it. */
  note(raw: RawMessage): void;
  /** A message as REST told it, with its author as they are shown on the server. */
  complete(raw: RawMessage, channel: Channel): Promise<RawMessage>;
}

const KEPT = 5_000;

export const createMembers = (api: Api): Members => {
  const known = createRecent<string, Promise<Shown>>(KEPT);

  const ask = (guildId: string, userId: string): Promise<Shown> =>
    api.send<APIGuildMember>('GET', Routes.guildMember(guildId, userId)).catch(() => undefined);

  return {
    note: ({ guild_id: guildId, author, member }) => {
      if (!guildId || !member) return;
      const { nick, avatar } = member;
      known.set(
        `${guildId} ${author.id}`,
        Promise.resolve({ nick: nick ?? null, avatar: avatar ?? null }),
      );
    },
    complete: async (raw, channel) => {
      const guildId = guildIdOf(channel);
      if (guildId === undefined || raw.webhook_id !== undefined) return raw;
      const key = `${guildId} ${raw.author.id}`;
      const shown = known.get(key) ?? ask(guildId, raw.author.id);
      known.set(key, shown);
      const member = await shown;
      // Who has left, or could not be asked about now, goes by the name that all know.
      if (!member) known.delete(key);
      return { ...raw, guild_id: guildId, ...(member ? { member } : {}) };
    },
  };
};
