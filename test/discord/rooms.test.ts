import { beforeAll, describe, expect, it } from 'vitest';
import type { FakeChannel, FakeMessage } from '../fakes/discord/index.ts';
import type { VoicePerson } from '../fakes/discord/voice/index.ts';
import { PATHS } from '../../src/api/contract.ts';
import { realClock } from '../../src/async/clock.ts';
import { hasPart, textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock });

/** Half a second of speech that the recogniser knows again. */
const speech = (mark: number, packets = 30): Buffer[] =>
  Array.from({ length: packets }, (_, at) => Buffer.from([0xf8, 0xab, mark, at & 255, 1, 2, 3, 4]));

/** What the recogniser hears in speech with a mark. */
const SAID: Readonly<Record<number, { readonly text: string; readonly language: string }>> = {
  1: { text: 'good morning everybody', language: 'en' },
  2: { text: 'buenos días a todos', language: 'es' },
  3: { text: 'shall we begin now', language: 'en' },
  4: { text: 'Dragoman, what is the time?', language: 'en' },
  5: { text: 'this is nothing for you', language: 'en' },
  6: { text: 'Dragoman, whom do you call?', language: 'en' },
};

const ANSWERS = {
  time: 'Noon.',
  begin: 'Soon.',
  'good morning': 'They met.',
  'you call': 'I call @everyone, @here and you.',
};

const marksIn = (audio: Buffer): number[] =>
  Object.keys(SAID)
    .map(Number)
    .filter((mark) => audio.includes(Buffer.from([0xf8, 0xab, mark])));

interface Room extends Place, AsyncDisposable {
  readonly lounge: FakeChannel;
  readonly speakers: readonly [VoicePerson, VoicePerson];
  /** Moderators choose how rooms are. */
  choose(page: string, press: string, values?: readonly string[]): Promise<void>;
  /** Ann uses a command. */
  use(name: string, options?: Parameters<typeof bot.use>[2]): Promise<FakeMessage>;
  /** Resolves when the room's chat shows this. */
  shows(part: string | RegExp): Promise<void>;
  /** Resolves when so many packets more of ours were heard. */
  hearsUs(packets: number): Promise<void>;
}

beforeAll(() => {
  bot.speech.listen = (audio) => {
    const [mark] = marksIn(audio);
    return mark === undefined ? undefined : SAID[mark];
  };
  bot.speech.answers = (question) =>
    Object.entries(ANSWERS).find(([part]) => question.includes(part))?.[1] ?? '?';
});

/** A server of its own, with two people in a voice channel. */
const enter = async (): Promise<Room> => {
  const place = bot.place();
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const speakers = [lounge.join(place.ann), lounge.join(place.bob)] as const;
  const moderator = place.guild.owner;
  const room: Room = {
    ...place,
    lounge,
    speakers,
    choose: async (page, press, values) => {
      const panel = await bot.use(place, 'rooms');
      await bot.press(panel, `rooms page:${page}`, undefined, moderator);
      await bot.press(panel, `rooms ${press}`, values, moderator);
    },
    use: async (name, options = {}) => bot.use(place, name, options, place.ann),
    shows: async (part) => {
      await lounge.until((messages) => messages.some(({ content }) => hasPart(content, part)));
    },
    hearsUs: async (packets) => {
      const from = lounge.recorded.packets.length;
      await lounge.recorded.until((all) => all.length >= from + packets);
    },
    [Symbol.asyncDispose]: async () => {
      await bot.use(place, 'leave');
      for (const speaker of speakers) speaker.leave();
    },
  };
  // Without it tests take less time.
  await room.choose('heard', 'spoken:off');
  return room;
};

const spoken = (): unknown[] =>
  bot.speech.seen.filter(({ path }) => path === PATHS.tts).map(({ json }) => json['text']);
const marksSent = (): number[] =>
  bot.speech.seen
    .filter(({ path }) => path === PATHS.asr)
    .flatMap(({ json }) => marksIn(Buffer.from(String(json['audio']), 'base64')));

describe.concurrent('captions of a voice channel', () => {
  it('show who said what, and translations, in the order in which it was spoken', async () => {
    await using at = await enter();
    const answer = await at.use('captions start', { languages: 'en, es' });
    expect(answer.content).toContain(`<#${at.lounge.id}>`);
    expect(textsIn(at.lounge)[0]).toContain(sentence('room.notice'));
    const [ann, bob] = at.speakers;
    await Promise.all([
      ann.speak(speech(1, 60)),
      ann.silence(300).then(() => bob.speak(speech(2))),
    ]);
    await at.shows('es:good morning everybody');
    await at.shows('en:buenos días a todos');
    const text = textsIn(at.lounge).join('\n');
    expect(text.indexOf('good morning everybody')).toBeLessThan(
      text.indexOf('buenos días a todos'),
    );
    expect(text).toContain('**Ann**');
    expect(text).toContain('**Bob**');
  });

  it('are not made of somebody who does not want them, from that moment on', async () => {
    await using at = await enter();
    await at.use('captions start');
    const notice = at.lounge.messages[0]!;
    const [ann, bob] = at.speakers;
    await bob.speak(speech(2));
    await at.shows('buenos días');
    const pressed = bot.discord.press(at.bob, notice, 'captions out');
    await pressed.answer();
    await Promise.all([bob.speak(speech(5)), ann.speak(speech(1))]);
    await at.shows('good morning');
    expect(marksSent()).not.toContain(5);
    expect(textsIn(at.lounge).join('\n')).not.toContain('nothing for you');
  });

  it('end with their transcript where it is wanted', async () => {
    await using at = await enter();
    await at.use('captions start', { transcript: 'vtt' });
    await at.speakers[0].speak(speech(1));
    await at.shows('good morning');
    await at.use('captions stop');
    const [, end] = [await at.shows(sentenceLike('room.captions-ended')), at.lounge.last!];
    const [file] = end.attachments;
    expect(file!.name).toMatch(/\.vtt$/);
    expect(Buffer.from(file!.bytes).toString()).toContain('<v Ann>good morning everybody');
  });

  it('begin by themselves with the first person where moderators want that, and end with the last', async () => {
    await using at = await enter();
    for (const speaker of at.speakers) speaker.leave();
    await at.choose('joins', 'joins', [at.lounge.id]);
    await at.choose('captions', 'languages', ['es']);
    const ann = at.lounge.join(at.ann);
    await at.shows(sentenceLike('room.notice'));
    await ann.speak(speech(1));
    await at.shows('es:good morning everybody');
    ann.leave();
  });

  it('can be had as a file and in short', async () => {
    await using at = await enter();
    await at.use('captions start');
    await at.speakers[0].speak(speech(1));
    await at.shows('good morning');
    const answer = await at.use('captions export', { kind: 'srt' });
    const [file] = answer.attachments;
    expect(Buffer.from(file!.bytes).toString()).toContain('Ann: good morning everybody');
    const asked = bot.discord.command(at.ann, { channel: at.channel, name: 'captions summary' });
    await asked.until(({ shown }) => (shown?.content ?? '').includes('They met.'));
  });
});

describe.concurrent('talking with us', () => {
  it('begins with our name, where moderators want that', async () => {
    await using at = await enter();
    await at.choose('speech', 'wake:on');
    await at.use('join');
    await at.shows(sentenceLike('room.listens-name'));
    const heard = at.hearsUs(3);
    await at.speakers[0].speak(speech(4));
    await at.shows('Noon.');
    await heard;
  });

  it('begins with a command', async () => {
    await using at = await enter();
    await at.use('join');
    const heard = at.hearsUs(3);
    const asked = bot.discord.command(at.ann, { channel: at.channel, name: 'ask' });
    await asked.until(({ shown }) => (shown?.content ?? '') !== '');
    await at.speakers[0].speak(speech(3));
    await asked.until(({ shown }) => (shown?.content ?? '').includes('Soon.'));
    await heard;
    // Nobody else is heard, so nobody need be told; and who only asks something is not captioned.
    expect(textsIn(at.lounge)).toEqual([]);
  });
});

describe.concurrent('what the model answers aloud', () => {
  it('notifies nobody where it stands as text', async () => {
    await using at = await enter();
    await at.choose('speech', 'wake:on');
    await at.use('join');
    await at.shows(sentenceLike('room.listens-name'));
    await at.speakers[0].speak(speech(6));
    await at.shows('everyone');
    expect(bot.discord.pings).toEqual([]);
  });
});

describe.concurrent('speech in a voice channel', () => {
  it('is what somebody had said', async () => {
    await using at = await enter();
    await at.use('join');
    const heard = at.hearsUs(10);
    await at.use('say', { text: 'hello there' });
    await heard;
  });

  it('is what people write in a channel that is read aloud', async () => {
    await using at = await enter();
    await bot.use(at, 'readaloud on');
    await at.use('join');
    const heard = at.hearsUs(10);
    at.channel.say(at.bob, 'the pizza is here');
    await heard;
    expect(spoken()).toContain(`${sentence('room.says', { name: 'Bob' })} the pizza is here`);
  });

  it('waits its turn, can be looked at, skipped and stopped', async () => {
    await using at = await enter();
    await at.use('join');
    for (const text of ['one '.repeat(30), 'two '.repeat(30), 'three '.repeat(30)])
      await at.use('say', { text });
    const queue = await at.use('queue');
    expect(queue.content).toMatch(/one[^]*two[^]*three/);
    await at.use('skip');
    await at.use('stop');
    expect((await at.use('queue')).content).not.toMatch(/two|three/);
  });

  it('says aloud that people are heard', async () => {
    await using at = await enter();
    await at.choose('heard', 'spoken:on');
    await at.use('captions start');
    const [first = ''] = sentence('room.spoken-notice').split(/(?<=\.) /);
    expect(spoken().join()).toContain(first);
  });
});
