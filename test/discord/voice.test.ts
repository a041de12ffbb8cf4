import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { FakeMessage } from '../fakes/discord/index.ts';
import { PATHS } from '../../src/api/contract.ts';
import { toneWav } from '../fakes/tone.ts';
import { copyOf, replyTo } from './shown.ts';
import { withBot, type Place } from './support.ts';
import { sentenceLike } from '../fakes/sentences.ts';

const bot = withBot();
const OPUS = new Uint8Array(readFileSync('test/fixtures/audio/speech.opus'));
const VOICE = { bytes: OPUS, durationSecs: 3, waveform: Buffer.alloc(32, 7).toString('base64') };
const IS_VOICE = 8_192;

const speak = ({ channel, ann }: Place): FakeMessage => channel.say(ann, '', { voice: VOICE });

const heard = (text: string, language = 'en'): void => {
  bot.speech.hears = [{ text, language }];
};

describe('a voice message in a watched channel', () => {
  it('is written down and translated under it', async () => {
    heard('see you all tomorrow');
    const reply = await replyTo(speak(await bot.reading()), (text) => text.includes('🇪🇸'));
    expect(reply.content).toBe('🎧 see you all tomorrow\n🇪🇸 es:see you all tomorrow');
  });

  it('is written down where it is in that language already', async () => {
    heard('hasta mañana a todos', 'es');
    const reply = await replyTo(speak(await bot.reading()));
    expect(reply.content).toBe('🎧 hasta mañana a todos');
  });

  it('can be heard in the linked channel, with what is said in its language', async () => {
    heard('see you all tomorrow');
    const { english, spanish, ...at } = await bot.linked();
    const said = speak({ ...at, channel: english });
    const text = await copyOf(said, spanish);
    expect(text.content.split('\n')[0]).toBe('🎧 es:see you all tomorrow');
    const [bubble] = spanish.messages;
    expect(bubble?.author).toBe('Ann');
    expect(bubble!.flags & IS_VOICE).toBe(IS_VOICE);
    const [file] = bubble!.attachments;
    expect(file).toMatchObject({ durationSecs: 3, waveform: VOICE.waveform });
    expect(Buffer.compare(file!.bytes, OPUS)).toBe(0);
    expect(spanish.messages).toHaveLength(2);
    said.delete();
    await spanish.until((messages) => messages.length === 0);
  });

  it('is left alone where nobody wants it written down', async () => {
    const at = await bot.reading({ 'voice-messages': false });
    speak(at);
    await replyTo(at.channel.say(at.ann, 'But this is translated as always'));
    expect(at.channel.messages).toHaveLength(4);
  });

  it('of a person in a hurry comes with text, and both are translated', async () => {
    heard('and this was spoken');
    const at = await bot.reading();
    const file = { name: 'memo.wav', contentType: 'audio/x-wav', bytes: toneWav(2) };
    const said = at.channel.say(at.ann, 'This was written', { attachments: [file] });
    const reply = await replyTo(said, (text) => text.includes('🇪🇸'));
    expect(reply.content).toBe(
      '🎧 and this was spoken\n🇪🇸 es:This was written\nes:and this was spoken',
    );
  });

  it('without words is no reason for an answer, nor for a message that waits', async () => {
    heard('');
    const at = await bot.reading();
    const said = speak(at);
    await bot.settled(at);
    expect(at.channel.messages.filter(({ replyTo: to }) => to === said.id)).toEqual([]);
    expect((await bot.use(at, 'status')).content).not.toMatch(sentenceLike('status.dead'));
  });

  it('that is long comes in parts, with its transcript as a file', async () => {
    const sentences = Array.from(
      { length: 20 },
      (_, at) => `Sentence ${at} is one of many sentences that are said in a long recording.`,
    );
    heard(sentences.join(' '));
    const at = await bot.reading();
    const file = { name: 'talk.wav', contentType: 'audio/x-wav', bytes: toneWav(100) };
    const before = bot.speech.seen.length;
    const said = at.channel.say(at.ann, '', { attachments: [file] });
    await bot.settled(at);
    const parts = at.channel.messages.filter(({ replyTo: to }) => to === said.id);
    expect(parts[0]?.content).toMatch(/^🎧 1\/\d\s/);
    const all = parts.map(({ content }) => content).join(' ');
    const pieces = bot.speech.seen.slice(before).filter(({ path }) => path === PATHS.asr).length;
    expect(pieces).toBeGreaterThan(1);
    expect(all.match(/one of many sentences/g)).toHaveLength(2 * 20 * pieces);
    const [transcript] = parts.at(-1)!.attachments;
    expect(transcript?.name).toBe('transcript.txt');
    expect(
      Buffer.from(transcript!.bytes)
        .toString()
        .match(/one of many/g),
    ).toHaveLength(20 * pieces);
  });

  it('that is forwarded is heard too', async () => {
    heard('this was said elsewhere');
    const at = await bot.reading();
    const elsewhere = speak({ ...at, channel: at.guild.channel() });
    const said = at.channel.say(at.bob, '', { forward: elsewhere });
    const reply = await replyTo(said, (text) => text.includes('🇪🇸'));
    expect(reply.content).toContain('es:this was said elsewhere');
  });
});
