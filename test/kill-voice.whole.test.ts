import { DatabaseSync } from 'node:sqlite';
import { beforeAll, describe, expect, it } from 'vitest';
import { createBot } from './fakes/bot.ts';
import { VOICE_CERTIFICATE_PATH, type FakeChannel, type FakeUser } from './fakes/discord/index.ts';
import { createDaveGroup } from './fakes/discord/voice/dave/group.ts';
import { createDavePerson } from './fakes/discord/voice/dave/person.ts';
import type { DaveDriver } from './fakes/discord/voice/dave/port.ts';
import { numberedSpeech, wordsHeard, wordsOf } from './fakes/numbered-speech.ts';
import { sentence, sentenceLike } from './fakes/sentences.ts';
import { shared } from './fakes/opened.ts';

const WORDS = 6;
const ENVIRONMENT = { NODE_EXTRA_CA_CERTS: VOICE_CERTIFICATE_PATH };

/** The end-to-end encryption of each voice channel, by its id. */
const groups = new Map<string, DaveDriver>();
const bot = shared(() =>
  createBot({
    speed: 50,
    voice: {
      dave: (channelId) => {
        const group = createDaveGroup({ channelId });
        groups.set(channelId, group);
        return { group, person: (id: string) => createDavePerson(group, id) };
      },
    },
  }),
);
beforeAll(async () => {
  bot.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
  bot.speech.translate = (text) => `¡Ah! ${text.toUpperCase()}`;
  await bot.start(ENVIRONMENT);
});

/** A server with a voice channel, one for captions, and three people. */
const openPlace = () => {
  const guild = bot.discord.guild({ name: 'Babel' });
  const lounge = guild.channel({ type: 'voice', name: 'lounge' });
  const chat = guild.channel({ name: 'captions' });
  const [ann, bob, cleo] = ['Ann', 'Bob', 'Cleo'].map((name) => {
    const user = bot.discord.user({ name });
    guild.join(user);
    return user;
  }) as [FakeUser, FakeUser, FakeUser];
  return { guild, lounge, chat, ann, bob, cleo };
};

const texts = (of: FakeChannel): string[] => of.messages.map(({ content }) => content);
const isInVoice = ({ id }: FakeChannel): boolean =>
  bot.discord.voice.connections.some(({ channelId, ready }) => channelId === id && ready);
const restart = async (away: () => void = () => undefined): Promise<void> => {
  await bot.kill();
  away();
  await bot.start(ENVIRONMENT);
};
const roomsStored = (): number => {
  const database = new DatabaseSync(bot.databaseFile, { readOnly: true });
  const { count } = database.prepare('SELECT count(*) AS count FROM open_room').get()!;
  database.close();
  return Number(count);
};

describe('a program that is killed while it captions a voice channel', () => {
  it('is back in it with its captions, and tells only those who came meanwhile', async () => {
    const { guild, lounge, chat, ann, bob, cleo } = openPlace();
    const [voice] = [lounge.join(ann), lounge.join(bob)];
    lounge.join(guild.owner);
    const use = async (name: string, options: Record<string, string | FakeChannel> = {}) =>
      bot.discord.command(guild.owner, { channel: chat, name, options }).answer();
    // Without it the test takes less time.
    const panel = await use('rooms');
    for (const press of ['rooms page:heard', 'rooms spoken:off']) {
      const { edits } = panel;
      await bot.discord.press(guild.owner, panel, press).until(() => panel.edits > edits);
    }
    await use('captions start', { languages: 'es', in: chat });
    const says = async (utterance: number, person = voice, speaker = 0): Promise<void> => {
      // Who has no keys yet sends nothing.
      await groups.get(lounge.id)!.whenSettled();
      await person.speak(numberedSpeech(speaker, utterance, WORDS));
      const last = wordsOf(speaker, utterance, WORDS).at(-1)!.toUpperCase();
      await chat.until((all) => all.some(({ content }) => content.includes(last)));
    };
    await says(1);
    const refused = bot.discord.press(bob, lounge.messages[0]!, 'captions out');
    await refused.answer();
    await expect.poll(() => roomsStored()).toBe(1);

    let guest = voice;
    await restart(() => {
      guest = lounge.join(cleo);
    });
    await chat.until((all) =>
      all.some(({ content }) => sentenceLike('room.restarted').test(content)),
    );
    await bot.discord.until(() => isInVoice(lounge));
    await says(2);
    await says(3, guest, 1);
    // The first notice stays the only one for everybody, and who was told or answered is not named again.
    const notices = texts(lounge).filter(
      (text) =>
        sentenceLike('room.notice').test(text) || sentenceLike('room.notice-late').test(text),
    );
    expect(notices.map((text) => text.split('\n')[0])).toEqual([
      sentence('room.notice'),
      sentence('room.notice-late', { names: 'Cleo' }),
    ]);
    const shown = texts(chat).join('\n');
    expect(shown.match(sentenceLike('room.captions-of'))).toHaveLength(1);
    expect(shown).toContain('¡Ah! A2X0');

    const { attachments } = await use('captions export', { kind: 'txt' });
    const transcript = Buffer.from(attachments[0]!.bytes).toString();
    expect(transcript).toContain(sentence('room.restarted-here'));
    expect(transcript).not.toContain('a1x0');
    expect(transcript).toContain('a2x0');
    await use('leave');
    expect(roomsStored()).toBe(0);
  });

  it('tells once that it is not back where nobody is left', async () => {
    const { lounge, ann } = openPlace();
    const voice = lounge.join(ann);
    await bot.discord.command(ann, { channel: lounge, name: 'captions start' }).answer();
    await expect.poll(() => roomsStored()).toBe(1);
    await restart(() => voice.leave());
    const isTold = (text: string): boolean => sentenceLike('room.not-back').test(text);
    await lounge.until((all) => all.some(({ content }) => isTold(content)));
    await bot.discord.until(() => bot.discord.voice.connections.length === 0);
    expect(roomsStored()).toBe(0);
    await restart();
    await bot.discord.command(ann, { channel: lounge, name: 'status' }).answer();
    expect(texts(lounge).filter(isTold)).toHaveLength(1);
  });
});

it('a stop tells a captioned voice channel, and leaves it', async () => {
  const { guild, lounge } = openPlace();
  lounge.join(guild.owner);
  const captions = { channel: lounge, name: 'captions start' };
  await bot.discord.command(guild.owner, captions).answer();
  await bot.discord.until(() => isInVoice(lounge));
  expect(await bot.stop()).toBe(0);
  expect(texts(lounge).join('\n')).toContain(sentence('room.stopping'));
  expect(bot.discord.voice.connections).toHaveLength(0);
});
