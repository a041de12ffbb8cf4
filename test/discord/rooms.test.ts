import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeChannel, FakeMessage, FakeUser } from '../fakes/discord/index.ts';
import type { VoicePerson } from '../fakes/discord/voice/index.ts';
import { PATHS } from '../../src/api/contract.ts';
import { textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';

const bot = withBot();

/** Half a second of speech that the recogniser knows again. */
const speech = (mark: number, packets = 30): Buffer[] =>
  Array.from({ length: packets }, (_, at) => Buffer.from([0xf8, 0xab, mark, at & 255, 1, 2, 3, 4]));

/** What the recogniser hears in speech with a mark. */
const SAID: Readonly<Record<number, { readonly text: string; readonly language: string }>> = {
  1: { text: 'good morning everybody', language: 'en' },
  2: { text: 'buenos días a todos', language: 'es' },
  3: { text: 'shall we begin now', language: 'en' },
  4: { text: 'Dragoman, what is the time?', language: 'en' },
};

const marksIn = (audio: Buffer): number[] =>
  Object.keys(SAID)
    .map(Number)
    .filter((mark) => audio.includes(Buffer.from([0xf8, 0xab, mark])));

interface Room extends Place {
  readonly lounge: FakeChannel;
  readonly speakers: readonly [VoicePerson, VoicePerson];
}

let at: Room;
beforeEach(async () => {
  const place = bot.place();
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const join = (user: FakeUser): VoicePerson => lounge.join(user);
  at = { ...place, lounge, speakers: [join(place.ann), join(place.bob)] };
  bot.speech.listen = (audio) => {
    const [mark] = marksIn(audio);
    return mark === undefined ? undefined : SAID[mark];
  };
  await choose('heard', 'spoken:off');
});
afterEach(async () => {
  if (bot.discord.voice.connections.length > 0) await bot.use(at, 'leave');
  for (const speaker of at.speakers) speaker.leave();
});

/** Moderators choose how rooms are; without a spoken notice tests take less time. */
const choose = async (page: string, press: string, values?: readonly string[]): Promise<void> => {
  const panel = await bot.use(at, 'rooms');
  await bot.press(panel, `rooms page:${page}`, undefined, at.guild.owner);
  await bot.press(panel, `rooms ${press}`, values, at.guild.owner);
};

const use = (name: string, options: Parameters<typeof bot.use>[2] = {}): Promise<FakeMessage> =>
  bot.use(at, name, options, at.ann);
const shows = (part: string): Promise<readonly FakeMessage[]> =>
  at.lounge.until((messages) => messages.some(({ content }) => content.includes(part)));
const marksSent = (): number[] =>
  bot.speech.seen
    .filter(({ path }) => path === PATHS.asr)
    .flatMap(({ json }) => marksIn(Buffer.from(String(json['audio']), 'base64')));

describe('captions of a voice channel', () => {
  it('show who said what, and translations, in the order in which it was spoken', async () => {
    const answer = await use('captions start', { languages: 'en, es' });
    expect(answer.content).toContain(`<#${at.lounge.id}>`);
    expect(textsIn(at.lounge)[0]).toContain('Captions are on');
    const [ann, bob] = at.speakers;
    await Promise.all([
      ann.speak(speech(1, 60)),
      ann.silence(300).then(() => bob.speak(speech(2))),
    ]);
    await shows('es:good morning everybody');
    await shows('en:buenos días a todos');
    const text = textsIn(at.lounge).join('\n');
    expect(text.indexOf('good morning everybody')).toBeLessThan(
      text.indexOf('buenos días a todos'),
    );
    expect(text).toContain('**Ann**');
    expect(text).toContain('**Bob**');
  });

  it('are not made of somebody who does not want them, from that moment on', async () => {
    await use('captions start');
    const notice = at.lounge.messages[0]!;
    const [ann, bob] = at.speakers;
    await bob.speak(speech(2));
    await shows('buenos días');
    const pressed = bot.discord.press(at.bob, notice, 'captions out');
    await pressed.answer();
    await Promise.all([bob.speak(speech(3)), ann.speak(speech(1))]);
    await shows('good morning');
    expect(marksSent()).not.toContain(3);
    expect(textsIn(at.lounge).join('\n')).not.toContain('shall we begin');
  });

  it('end with their transcript where it is wanted', async () => {
    await use('captions start', { transcript: 'vtt' });
    await at.speakers[0].speak(speech(1));
    await shows('good morning');
    await use('captions stop');
    const [, end] = [await shows('The captions ended'), at.lounge.last!];
    const [file] = end.attachments;
    expect(file!.name).toMatch(/\.vtt$/);
    expect(Buffer.from(file!.bytes).toString()).toContain('<v Ann>good morning everybody');
  });

  it('begin by themselves with the first person where moderators want that, and end with the last', async () => {
    for (const speaker of at.speakers) speaker.leave();
    await choose('joins', 'joins', [at.lounge.id]);
    await choose('captions', 'languages', ['es']);
    const ann = at.lounge.join(at.ann);
    await shows('Captions are on');
    await ann.speak(speech(1));
    await shows('es:good morning everybody');
    ann.leave();
  });

  it('can be had as a file and in short', async () => {
    await use('captions start');
    await at.speakers[0].speak(speech(1));
    await shows('good morning');
    const answer = await use('captions export', { kind: 'srt' });
    const [file] = answer.attachments;
    expect(Buffer.from(file!.bytes).toString()).toContain('Ann: good morning everybody');
    bot.speech.answers = (question) => (question.includes('good morning') ? 'They met.' : '?');
    const asked = bot.discord.command(at.ann, { channel: at.channel, name: 'captions summary' });
    await asked.until(({ shown }) => (shown?.content ?? '').includes('They met.'));
  });
});

describe('talking with us', () => {
  const heardFrom = async (packets: number): Promise<void> => {
    await at.lounge.recorded.until((all) => all.length > packets);
  };

  it('begins with our name, where moderators want that', async () => {
    await choose('speech', 'wake:on');
    bot.speech.answers = (question) => (question.includes('time') ? 'Noon.' : '?');
    await use('join');
    await shows('I listen for my name');
    const from = at.lounge.recorded.packets.length;
    await at.speakers[0].speak(speech(4));
    await shows('Noon.');
    await heardFrom(from + 3);
  });

  it('begins with a command', async () => {
    bot.speech.answers = (question) => (question.includes('begin') ? 'Soon.' : '?');
    await use('join');
    const from = at.lounge.recorded.packets.length;
    const asked = bot.discord.command(at.ann, { channel: at.channel, name: 'ask' });
    await asked.until(({ shown }) => (shown?.content ?? '') !== '');
    await at.speakers[0].speak(speech(3));
    await asked.until(({ shown }) => (shown?.content ?? '').includes('Soon.'));
    await heardFrom(from + 3);
    // Nobody else is heard, so nobody need be told; and who only asks something is not captioned.
    expect(textsIn(at.lounge)).toEqual([]);
  });
});

describe('speech in a voice channel', () => {
  it('is what somebody had said', async () => {
    await use('join');
    const from = at.lounge.recorded.packets.length;
    await use('say', { text: 'hello there' });
    await at.lounge.recorded.until((packets) => packets.length > from + 10);
  });

  it('is what people write in a channel that is read aloud', async () => {
    await bot.use(at, 'readaloud on');
    await use('join');
    const from = at.lounge.recorded.packets.length;
    at.channel.say(at.bob, 'the pizza is here');
    await at.lounge.recorded.until((packets) => packets.length > from + 10);
    const spoken = bot.speech.seen.filter(({ path }) => path === PATHS.tts);
    expect(spoken.at(-1)?.json['text']).toBe('Bob says: the pizza is here');
  });

  it('waits its turn, can be looked at, skipped and stopped', async () => {
    await use('join');
    for (const text of ['one '.repeat(30), 'two '.repeat(30), 'three '.repeat(30)])
      await use('say', { text });
    const queue = await use('queue');
    expect(queue.content).toMatch(/one[^]*two[^]*three/);
    await use('skip');
    await use('stop');
    expect((await use('queue')).content).not.toMatch(/two|three/);
  });

  it('says aloud that people are heard', async () => {
    await choose('heard', 'spoken:on');
    await use('captions start');
    const spoken = bot.speech.seen.filter(({ path }) => path === PATHS.tts);
    expect(spoken.at(-1)?.json['text']).toContain('Captions are on');
  });
});
