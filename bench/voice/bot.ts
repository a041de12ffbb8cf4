import { createBot, type Bot } from '../../test/fakes/bot.ts';
import type { FakeChannel, FakeGuild, FakeUser } from '../../test/fakes/discord/index.ts';
import { createDaveGroup } from '../../test/fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../../test/fakes/discord/voice/dave/person.ts';
import { VOICE_CERTIFICATE_PATH } from '../../test/fakes/discord/voice/index.ts';

/** A voice channel with its chat. */
export interface Room {
  readonly guild: FakeGuild;
  readonly lounge: FakeChannel;
}

export interface VoiceBot extends AsyncDisposable, Pick<Bot, 'discord' | 'speech'> {
  room(): Room;
  /** Uses a command in the room's chat; resolves with what is answered. */
  use(
    room: Room,
    by: FakeUser,
    name: string,
    options?: Record<string, string | FakeChannel>,
  ): Promise<string>;
}

/** Encryption from end to end, of each channel its own. */
export const encrypted = (channelId: string) => {
  const group = createDaveGroup({ channelId });
  return { group, person: (userId: string) => createDavePerson(group, userId) };
};

/**
 * The program in a process of its own, with the limits of Discord, in voice channels that are
 * encrypted end to end; Discord, the service and the people are in this process.
 */
export const startVoiceBot = async (
  environment: Record<string, string> = {},
): Promise<VoiceBot> => {
  const bot = await createBot({ voice: { dave: encrypted } });
  await bot.start({ NODE_EXTRA_CA_CERTS: VOICE_CERTIFICATE_PATH, ...environment });
  const { discord, speech } = bot;
  return {
    discord,
    speech,
    room: () => {
      const guild = discord.guild({ name: 'Babel' });
      return { guild, lounge: guild.channel({ type: 'voice', name: 'lounge' }) };
    },
    use: async ({ lounge }, by, name, options = {}) => {
      const used = discord.command(by, { channel: lounge, name, options });
      await used.until(({ shown }) => (shown?.content ?? '') !== '');
      return used.shown?.content ?? '';
    },
    [Symbol.asyncDispose]: async () => bot[Symbol.asyncDispose](),
  };
};
