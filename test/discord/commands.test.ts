import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { toneWav } from '../fakes/tone.ts';
import { replyTo } from './shown.ts';
import { withBot, type Place } from './support.ts';
import { sentence } from '../fakes/sentences.ts';

const bot = withBot();
const OPUS = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));
const SPOKEN = sentence('say.spoken-by', { voice: 'Ada · English · Female' });
const MEMO = { name: 'memo.wav', contentType: 'audio/x-wav', bytes: toneWav(2) };

/** Uses a command; resolves with the answer once it says this. */
const ask = async (
  { channel, ann }: Place,
  name: string,
  options: Parameters<typeof bot.use>[2],
  says: string,
): Promise<FakeMessage> => {
  const used = bot.discord.command(ann, { channel, name, ...(options ? { options } : {}) });
  await used.until(({ shown }) => shown?.content.includes(says) === true);
  return used.shown as FakeMessage;
};

/** Chooses an entry of a message's menu; only the asker sees what comes of it. */
const choose = async (at: Place, name: string, target: FakeMessage, says: string) => {
  const chosen = bot.discord.command(at.ann, { channel: at.channel, name, target });
  await chosen.until(({ shown }) => shown?.content.includes(says) === true);
  expect(chosen.ephemeral).toBe(true);
  return chosen.shown as FakeMessage;
};

describe('commands', () => {
  it('translate a text, from and into languages by any of their names', async () => {
    const at = bot.place();
    const text = 'Where is the **station**, <@123456789012345678>?';
    await ask(at, 'translate', { text, to: 'Japanese' }, `ja:${text}`);
    await ask(at, 'translate', { text: 'Gift', from: 'Deutsch', to: 'en' }, 'en:Gift');
    await ask(
      at,
      'translate',
      { text, to: 'Klingon' },
      `⚠️ ${sentence('errors.unknown-language', { language: '`Klingon`' })}`,
    );
    await ask(at, 'translate', { to: 'es' }, `⚠️ ${sentence('translate.text-or-audio')}`);
    await ask(
      at,
      'translate',
      { text: '🎉 🎉', to: 'es' },
      `ℹ️ ${sentence('translate.nothing-to-translate')}`,
    );
  });

  it('write down what is said in a file, as a file of subtitles too', async () => {
    const at = bot.place();
    bot.speech.hears = [{ text: 'Welcome to the meeting.', language: 'en' }];
    await ask(at, 'transcribe', { audio: MEMO }, 'Welcome to the meeting.');
    const shown = await ask(
      at,
      'transcribe',
      { audio: { ...MEMO, bytes: OPUS, name: 'a.ogg' }, format: 'srt', to: 'Spanish' },
      'es:Welcome to the meeting.',
    );
    await at.channel.until(() => shown.attachments.length === 1);
    expect(shown.attachments[0]?.name).toBe('transcript.srt');
    expect(Buffer.from(shown.attachments[0]!.bytes).toString()).toMatch(
      /^1\n00:00:00,\d+ --> .*\nWelcome to the meeting\.\n/,
    );
    const lie = { name: 'song.mp3', contentType: 'audio/mpeg', bytes: Buffer.from('no music') };
    await ask(at, 'transcribe', { audio: lie }, `⚠️ ${sentence('errors.audio.unknown')}`);
  });

  it('speak a text as a file', async () => {
    const at = bot.place();
    const shown = await ask(at, 'say', { text: 'Hello everybody' }, SPOKEN);
    expect(shown.attachments).toMatchObject([{ name: 'speech.mp3', contentType: 'audio/mpeg' }]);
    const ogg = await ask(at, 'say', { text: 'Hello you', format: 'ogg' }, SPOKEN);
    expect(Buffer.from(ogg.attachments[0]!.bytes).toString('latin1').slice(0, 4)).toBe('OggS');
  });

  it('answer in the person’s own language', async () => {
    const at = bot.place();
    const options = { text: 'Good morning', to: 'en' };
    for (const [locale, texts] of [
      ['ja', 'ja'],
      ['de', 'de'],
      ['zh-CN', 'zh'],
      ['zh-TW', 'zh-TW'],
      ['es-419', 'es'],
      ['tr', 'en'],
    ] as const) {
      const says = sentence('translate.same-language', { language: { language: 'en' } }, texts);
      await ask({ ...at, ann: bot.discord.user({ locale }) }, 'translate', options, says);
    }
  });

  it('show what was used as a picture and in numbers', async () => {
    const at = await bot.reading();
    await replyTo(at.channel.say(at.ann, 'A hundred characters or so'));
    await bot.settled(at);
    const used = bot.discord.command(at.guild.owner, { channel: at.channel, name: 'usage' });
    await used.until(({ shown }) => shown?.attachments.length === 1);
    expect(used.shown?.content).toContain(
      sentence('usage.numbers', { characters: 26, audio: '0 sec', tokens: 0, messages: 1 }),
    );
    const [picture] = used.shown!.attachments;
    expect(picture?.name).toBe('usage.png');
    expect(Buffer.from(picture!.bytes).toString('latin1').slice(1, 4)).toBe('PNG');
  });

  it('do nothing for whom a command is not meant for', async () => {
    const at = bot.place();
    expect(() => bot.discord.command(at.ann, { channel: at.channel, name: 'settings' })).toThrow();
    const { guild, channel, ann } = at;
    const role = guild.role('Interpreters');
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings page:roles', undefined, guild.owner);
    await bot.press(panel, 'settings command', ['ask'], guild.owner);
    await bot.press(panel, 'settings roles:ask', [role.id], guild.owner);
    await ask(
      at,
      'ask',
      { question: 'Why?' },
      `⚠️ ${sentence('errors.needs-role', { command: 'ask' })}`,
    );
    guild.join(ann, [role]);
    await ask(at, 'ask', { question: 'Why?' }, 'You asked: Why?');
    await ask({ ...at, ann: guild.owner }, 'ask', { question: 'How?' }, 'You asked: How?');
    expect(channel.messages).toHaveLength(2);
  });
});

describe('the menu of a message', () => {
  it('translates, writes down and reads aloud what it says, for the asker alone', async () => {
    const at = bot.place();
    const ann = bot.discord.user({ locale: 'ja' });
    const said = at.channel.say(at.bob, 'The shop opens at nine');
    await choose(
      { ...at, ann },
      sentence('commands.translate.menu'),
      said,
      'ja:The shop opens at nine',
    );
    const spoken = await choose(at, sentence('commands.say.menu'), said, SPOKEN);
    expect(spoken.attachments).toHaveLength(1);
    bot.speech.hears = [{ text: 'Call me when you are home', language: 'en' }];
    const voice = at.channel.say(at.bob, '', { voice: { bytes: OPUS, durationSecs: 3 } });
    await choose(at, sentence('commands.transcribe.menu'), voice, 'Call me when you are home');
    await choose(
      { ...at, ann },
      sentence('commands.translate.menu'),
      voice,
      'ja:Call me when you are home',
    );
    expect(at.channel.messages).toHaveLength(2);
  });

  it('says what is missing where there is nothing', async () => {
    const at = bot.place();
    const nothing = at.channel.say(at.bob, '', { stickers: ['wave'] });
    await choose(
      at,
      sentence('commands.translate.menu'),
      nothing,
      `⚠️ ${sentence('translate.nothing-in-message')}`,
    );
    await choose(
      at,
      sentence('commands.transcribe.menu'),
      nothing,
      `⚠️ ${sentence('transcribe.no-sound')}`,
    );
    await choose(
      at,
      sentence('commands.say.menu'),
      nothing,
      `⚠️ ${sentence('say.nothing-in-message')}`,
    );
    const panel = await bot.use(at, 'privacy', {}, at.bob);
    await bot.press(panel, 'privacy out', undefined, at.bob);
    const said = at.channel.say(at.bob, 'This is nobody’s business');
    await choose(
      at,
      sentence('commands.translate.menu'),
      said,
      sentence('errors.author-opted-out'),
    );
  });
});
