import { beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../src/async/clock.ts';
import type { SessionJson } from '../../src/voice/captions/transcript-files.ts';
import type { FakeChannel, FakeMessage, VoicePerson } from '../fakes/discord/index.ts';
import { hasPart, textsIn } from './shown.ts';
import { withBot, type Place } from './support.ts';
import { sentence, sentenceLike } from '../fakes/sentences.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock });

/** What the recogniser hears in speech with a mark. */
const SAID: readonly string[] = ['good morning', 'shall we begin', 'yes of course'];

const speech = (mark: number): Buffer[] =>
  Array.from({ length: 30 }, (_, at) => Buffer.from([0xf8, 0xab, mark, at & 255, 1, 2, 3, 4]));

beforeAll(() => {
  bot.speech.listen = (audio) => {
    const mark = SAID.findIndex((_, at) => audio.includes(Buffer.from([0xf8, 0xab, at])));
    return mark < 0 ? undefined : { text: SAID[mark]!, language: 'en' };
  };
});

interface Room extends Place, AsyncDisposable {
  readonly lounge: FakeChannel;
  readonly speakers: readonly [VoicePerson, VoicePerson];
  /** The server's owner uses a command; resolves with the answer. */
  use(name: string, options?: Parameters<typeof bot.use>[2]): Promise<FakeMessage>;
}

/** A server of its own, with two people in a voice channel. */
const enter = async (): Promise<Room> => {
  const place = bot.place();
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const speakers = [lounge.join(place.ann), lounge.join(place.bob)] as const;
  const panel = await bot.use(place, 'rooms');
  await bot.press(panel, 'rooms page:heard', undefined, place.guild.owner);
  await bot.press(panel, 'rooms spoken:off', undefined, place.guild.owner);
  await bot.use(place, 'join', {}, place.ann);
  return {
    ...place,
    lounge,
    speakers,
    use: async (name, options = {}) => bot.use(place, name, options),
    [Symbol.asyncDispose]: async () => {
      await bot.use(place, 'leave');
      for (const speaker of speakers) speaker.leave();
    },
  };
};

const END = sentenceLike('room.captions-ended');

const shows = async (channel: FakeChannel, part: string | RegExp): Promise<void> => {
  await channel.until((messages) => messages.some(({ content }) => hasPart(content, part)));
};
const textOf = ({ attachments }: FakeMessage): string =>
  Buffer.from(attachments[0]!.bytes).toString();
const threadIn = (channel: FakeChannel): FakeChannel => {
  expect(channel.threads).toHaveLength(1);
  return channel.threads[0]!;
};

describe.concurrent('captions elsewhere than in the chat of their room', () => {
  it('stand in a thread, under a heading that names the room, up to their end', async () => {
    await using at = await enter();
    const answer = await at.use('captions start', { thread: true });
    const thread = threadIn(at.channel);
    expect(answer.content).toContain(`<#${thread.id}>`);
    await at.speakers[0].speak(speech(0));
    await shows(thread, 'good morning');
    await at.use('captions stop');
    await shows(thread, END);
    const [heading, captions] = textsIn(thread);
    expect(heading).toContain(`<#${at.lounge.id}>`);
    expect(captions).toBe('**Ann**: good morning');
    expect(textsIn(at.lounge).join()).not.toMatch(/good morning/);
    expect(textsIn(at.lounge).join()).not.toMatch(END);
  });

  it('do not begin in a thread of the room’s own chat, which takes none', async () => {
    await using at = await enter();
    const answer = await at.use('captions start', { in: at.lounge, thread: true });
    expect(answer.content).toContain(sentence('captions.no-thread'));
    expect(at.lounge.threads).toEqual([]);
    expect(textsIn(at.lounge)).toEqual([]);
  });

  it.each(['txt', 'srt', 'vtt', 'json'] as const)(
    'stand in another channel, and end there with their transcript (%s)',
    async (kind) => {
      await using at = await enter();
      const notes = at.guild.channel({ name: 'notes' });
      await at.use('captions start', { in: notes, transcript: kind });
      await at.speakers[1].speak(speech(1));
      await shows(notes, '**Bob**: shall we begin');
      await at.use('captions stop');
      await shows(notes, END);
      expect(textsIn(notes)[0]).toContain(`<#${at.lounge.id}>`);
      const end = notes.last!;
      expect(end.content).toMatch(END);
      expect(end.attachments[0]!.name).toBe(`transcript.${kind}`);
      expect(textOf(end)).toContain('shall we begin');
    },
  );

  it('end, and the room is told, when a moderator deletes their thread', async () => {
    await using at = await enter();
    await at.use('captions start', { thread: true, transcript: 'txt' });
    const thread = threadIn(at.channel);
    await at.speakers[0].speak(speech(0));
    await shows(thread, 'good morning');
    thread.delete();
    await at.speakers[1].speak(speech(1));
    await shows(at.lounge, END);
    expect(textOf(at.lounge.last!)).toContain('Bob: shall we begin');
    expect((await at.use('captions stop')).content).toContain(sentence('captions.not-on'));
    await at.use('captions start', { in: at.lounge });
    await at.speakers[0].speak(speech(2));
    await shows(at.lounge, 'yes of course');
  });
});

describe.concurrent('an export of captions', () => {
  it('has who said what, with times since the beginning, in each format', async () => {
    await using at = await enter();
    await at.use('captions start');
    const [ann, bob] = at.speakers;
    await ann.speak(speech(0));
    await shows(at.lounge, 'good morning');
    await bob.speak(speech(1));
    await shows(at.lounge, 'shall we begin');

    const [txt, srt, vtt, json] = await Promise.all(
      ['txt', 'srt', 'vtt', 'json'].map(async (kind) =>
        textOf(await at.use('captions export', { kind })),
      ),
    );
    expect(txt).toMatch(/^\[00:00:0\d\] Ann: good morning\n\[00:00:0\d\] Bob: shall we begin\n$/);
    const time = String.raw`00:00:0\d[,.]\d{3}`;
    const cue = (text: string): string => `${time} --> ${time}\n${text}\n`;
    expect(srt).toMatch(
      new RegExp(`^1\n${cue('Ann: good morning')}\n2\n${cue('Bob: shall we begin')}$`),
    );
    expect(vtt).toMatch(
      new RegExp(`^WEBVTT\n\n${cue('<v Ann>good morning')}\n${cue('<v Bob>shall we begin')}$`),
    );
    const { start, lines, droppedLines } = JSON.parse(json!) as SessionJson;
    expect(Math.abs(Date.parse(start) - Date.now())).toBeLessThan(60_000);
    expect(droppedLines).toBe(0);
    expect(lines).toMatchObject([
      { speaker: 'Ann', text: 'good morning', language: 'en' },
      { speaker: 'Bob', text: 'shall we begin', language: 'en' },
    ]);
    for (const { startMs, endMs } of lines) {
      expect(startMs).toBeGreaterThanOrEqual(0);
      expect(endMs).toBeGreaterThan(startMs);
      expect(endMs).toBeLessThan(60_000);
    }
  });
});

describe('captions of a program that ends', () => {
  it('end with it, where they are shown and with their transcript', async () => {
    await using at = await enter();
    const notes = at.guild.channel({ name: 'notes' });
    await at.use('captions start', { in: notes, transcript: 'txt' });
    await at.speakers[0].speak(speech(0));
    await shows(notes, 'good morning');
    await bot.stop();
    expect(textOf(notes.last!)).toContain('Ann: good morning');
    expect(notes.last!.content).toMatch(END);
    await bot.start();
  });
});
