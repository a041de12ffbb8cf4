import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { toneWav } from '../fakes/tone.ts';
import { replyTo } from './shown.ts';
import { withBot, type Place } from './support.ts';

const bot = withBot();
const OPUS = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));
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
    await ask(at, 'translate', { text, to: 'Klingon' }, '⚠️ I do not know the language `Klingon`');
    await ask(at, 'translate', { to: 'es' }, '⚠️ Please give me a text or an audio file');
    await ask(at, 'translate', { text: '🎉 🎉', to: 'es' }, 'ℹ️ There is nothing in that');
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
    await ask(at, 'transcribe', { audio: lie }, '⚠️ I cannot tell what kind of file that is');
  });

  it('speak a text as a file', async () => {
    const at = bot.place();
    const shown = await ask(at, 'say', { text: 'Hello everybody' }, 'Spoken by Ada');
    expect(shown.attachments).toMatchObject([{ name: 'speech.mp3', contentType: 'audio/mpeg' }]);
    const ogg = await ask(at, 'say', { text: 'Hello you', format: 'ogg' }, 'Spoken by Ada');
    expect(Buffer.from(ogg.attachments[0]!.bytes).toString('latin1').slice(0, 4)).toBe('OggS');
  });

  it('answer in the person’s own language', async () => {
    const at = bot.place();
    const options = { text: 'Good morning', to: 'en' };
    for (const [locale, says] of [
      ['ja', 'すでに英語です。'],
      ['de', 'Das ist schon Englisch.'],
      ['zh-CN', '英语'],
      ['zh-TW', '英文'],
      ['es-419', 'inglés'],
      ['tr', 'That is in English already.'],
    ] as const)
      await ask({ ...at, ann: bot.discord.user({ locale }) }, 'translate', options, says);
  });

  it('show what was used as a picture and in numbers', async () => {
    const at = await bot.reading();
    await replyTo(at.channel.say(at.ann, 'A hundred characters or so'));
    await bot.settled(at);
    const used = bot.discord.command(at.guild.owner, { channel: at.channel, name: 'usage' });
    await used.until(({ shown }) => shown?.attachments.length === 1);
    expect(used.shown?.content).toContain('26 characters · 0 min of audio · 1 message');
    const [picture] = used.shown!.attachments;
    expect(picture?.name).toBe('usage.png');
    expect(Buffer.from(picture!.bytes).toString('latin1').slice(1, 4)).toBe('PNG');
  });

  it('do nothing for whom a command is not meant for', async () => {
    const at = bot.place();
    expect(() => bot.discord.command(at.ann, { channel: at.channel, name: 'usage' })).toThrow();
    const { guild, channel, ann } = at;
    const role = guild.role('Interpreters');
    const panel = await bot.use(at, 'settings');
    await bot.press(panel, 'settings page:roles', undefined, guild.owner);
    await bot.press(panel, 'settings command', ['ask'], guild.owner);
    await bot.press(panel, 'settings roles:ask', [role.id], guild.owner);
    await ask(at, 'ask', { question: 'Why?' }, '⚠️ Only people with certain roles may use');
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
    await choose({ ...at, ann }, 'Translate', said, 'ja:The shop opens at nine');
    const spoken = await choose(at, 'Read aloud', said, 'Spoken by Ada');
    expect(spoken.attachments).toHaveLength(1);
    bot.speech.hears = [{ text: 'Call me when you are home', language: 'en' }];
    const voice = at.channel.say(at.bob, '', { voice: { bytes: OPUS, durationSecs: 3 } });
    await choose(at, 'Transcribe', voice, 'Call me when you are home');
    await choose({ ...at, ann }, 'Translate', voice, 'ja:Call me when you are home');
    expect(at.channel.messages).toHaveLength(2);
  });

  it('says what is missing where there is nothing', async () => {
    const at = bot.place();
    const nothing = at.channel.say(at.bob, '', { stickers: ['wave'] });
    await choose(at, 'Translate', nothing, '⚠️ There is neither text nor audio in that message.');
    await choose(at, 'Transcribe', nothing, '⚠️ There is no audio in that message.');
    await choose(at, 'Read aloud', nothing, '⚠️ There is no text in that message.');
    const panel = await bot.use(at, 'privacy', {}, at.bob);
    await bot.press(panel, 'privacy out', undefined, at.bob);
    const said = at.channel.say(at.bob, 'This is nobody’s business');
    await choose(at, 'Translate', said, 'does not want it to be translated');
  });
});
