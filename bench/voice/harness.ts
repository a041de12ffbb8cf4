import { setTimeout as delay } from 'node:timers/promises';
import { createBot, type Bot } from '../../test/fakes/bot.ts';
import {
  VOICE_CERTIFICATE_PATH,
  type FakeChannel,
  type FakeGuild,
  type FakeUser,
} from '../../test/fakes/discord/index.ts';
import { createDaveGroup } from '../../test/fakes/discord/voice/dave/group.ts';
import { createDavePerson } from '../../test/fakes/discord/voice/dave/person.ts';
import { wordsHeard } from '../../test/fakes/numbered-speech.ts';

/** The whole program between our fakes, with a voice channel that is encrypted end to end. */
export interface Stage extends AsyncDisposable {
  readonly bot: Bot;
  readonly guild: FakeGuild;
  readonly lounge: FakeChannel;
  /** The encryption of the lounge. */
  readonly group: () => ReturnType<typeof createDaveGroup>;
  /** @param isStrange nobody can ever decrypt what they say */
  user(name: string, isStrange?: boolean): FakeUser;
  /** Captions of the lounge, in its own chat. */
  caption(by: FakeUser, options?: Record<string, string>): Promise<string>;
}

/** Discord's limits hold as they are there, in real time. */
export const openStage = async (environment: Record<string, string> = {}): Promise<Stage> => {
  const groups = new Map<string, ReturnType<typeof createDaveGroup>>();
  const strangers = new Set<string>();
  const bot = await createBot({
    voice: {
      dave: (channelId) => {
        const group = createDaveGroup({ channelId });
        groups.set(channelId, group);
        const person = (id: string) => createDavePerson(group, id, { strange: strangers.has(id) });
        return { group, person };
      },
    },
  });
  bot.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
  // So that translations are told from what was said.
  bot.speech.translate = (text) => `Spanish: ${text.toUpperCase()}`;
  await bot.start({ NODE_EXTRA_CA_CERTS: VOICE_CERTIFICATE_PATH, ...environment });
  const guild = bot.discord.guild({ name: 'Babel' });
  const lounge = guild.channel({ type: 'voice', name: 'lounge' });
  await delay(1_000);
  return {
    bot,
    guild,
    lounge,
    group: () => groups.get(lounge.id)!,
    user: (name, isStrange = false) => {
      const user = bot.discord.user({ name });
      guild.join(user);
      if (isStrange) strangers.add(user.id);
      return user;
    },
    caption: async (by, options = {}) => {
      const used = bot.discord.command(by, { channel: lounge, name: 'captions start', options });
      return (await used.answer()).content;
    },
    [Symbol.asyncDispose]: () => bot[Symbol.asyncDispose](),
  };
};
