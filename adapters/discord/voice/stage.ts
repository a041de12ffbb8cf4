import { ChannelType, Routes, type Client } from 'discord.js';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/log.ts';
import type { Api } from '../api.ts';
import { channelOf } from '../ids.ts';
import { grantedIn } from '../permissions.ts';
import type { Whereabouts } from './gateway.ts';

export interface StageDeps {
  readonly api: Api;
  readonly client: () => Client;
  readonly log: Log;
}

/** Moves the bot to the speakers of a stage, or asks to: everybody joins as audience. */
export const createStage = ({ api, client, log }: StageDeps) => {
  /** Stages where the bot asked already: after being moved back to the audience it stays there. */
  const asked = new Map<string, string>();

  const rise = async (guildId: string, channelId: string): Promise<void> => {
    const maySpeak = grantedIn(client(), channelOf(guildId, channelId))?.has('MuteMembers');
    const wish = maySpeak
      ? { suppress: false }
      : { request_to_speak_timestamp: new Date().toISOString() };
    await api.send('PATCH', Routes.guildVoiceState(guildId, '@me'), {
      body: { channel_id: channelId, ...wish },
    });
  };

  return {
    placed: ({ guildId, channelId, isSuppressed }: Whereabouts): void => {
      if (asked.get(guildId) !== channelId) asked.delete(guildId);
      if (channelId === undefined || !isSuppressed || asked.has(guildId)) return;
      if (client().channels.cache.get(channelId)?.type !== ChannelType.GuildStageVoice) return;
      asked.set(guildId, channelId);
      rise(guildId, channelId).catch((thrown: unknown) =>
        log.warn(
          { reason: toAppError(thrown).message },
          'Discord: the bot may not speak on a stage',
        ),
      );
    },
    gone: (guildId: string): void => void asked.delete(guildId),
  };
};
