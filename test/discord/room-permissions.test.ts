import { beforeAll, describe, expect, it } from 'vitest';
import { realClock } from '../../src/async/clock.ts';
import type { FakeChannel } from '../fakes/discord/index.ts';
import { numberedSpeech, wordsHeard, wordsOf } from '../fakes/numbered-speech.ts';
import { sentence } from '../fakes/sentences.ts';
import { hasPart, textsIn } from './shown.ts';
import { withBot } from './support.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock });
beforeAll(() => {
  bot.speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
});

const WORDS = 6;

/** Captions of a voice channel in its own chat, that Ann started. */
const open = async () => {
  const place = bot.place();
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const person = lounge.join(place.ann);
  const panel = await bot.use(place, 'rooms');
  await bot.press(panel, 'rooms page:heard', undefined, place.guild.owner);
  await bot.press(panel, 'rooms spoken:off', undefined, place.guild.owner);
  await bot.use(place, 'captions start', {}, place.ann);
  const shows = (of: FakeChannel, part: string) =>
    of.until((messages) => messages.some(({ content }) => hasPart(content, part)));
  let utterance = 0;
  return {
    ...place,
    lounge,
    shows,
    speak: async (): Promise<string> => {
      utterance += 1;
      await person.speak(numberedSpeech(0, utterance, WORDS), { speed: 10 });
      return wordsOf(0, utterance, WORDS).at(-1)!;
    },
  };
};

const refusals = (): number =>
  bot.discord.requests.filter(
    ({ route, status }) => route === 'POST /channels/:id/messages' && status === 403,
  ).length;

describe.each([
  ['SendMessages', 'Send Messages'],
  ['ViewChannel', 'View Channel'],
  ['Connect', 'Connect'],
] as const)('a chat that the bot lost %s in', (permission, shown) => {
  it('is told to who started the captions and in the status, and goes on afterwards', async () => {
    const room = await open();
    await room.shows(room.lounge, await room.speak());
    const before = refusals();
    // An earlier message may still be edited: this is about a new one.
    room.lounge.last!.delete();
    room.lounge.deny(permission);
    const word = await room.speak();
    const reason = sentence('room.missing', {
      channel: `<#${room.lounge.id}>`,
      permissions: shown,
    });
    await room.shows(room.ann.dm(), reason);
    expect((await bot.use(room, 'status', {}, room.ann)).content).toContain(reason);
    expect(refusals() - before).toBeLessThan(5);
    room.lounge.allow(permission);
    await room.shows(room.lounge, word);
    await room.shows(room.lounge, await room.speak());
    expect(textsIn(room.ann.dm())).toHaveLength(1);
  });
});

it('captions go on where a member who started them accepts no direct messages', async () => {
  const room = await open();
  room.ann.closeDms();
  room.lounge.deny('SendMessages');
  const word = await room.speak();
  const tries = () =>
    bot.discord.requests.filter(({ route }) => route === 'POST /users/@me/channels').length;
  const before = tries();
  await bot.discord.until(() => tries() > before);
  room.lounge.allow('SendMessages');
  await room.shows(room.lounge, word);
});
