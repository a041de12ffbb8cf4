import { expect, it } from 'vitest';
import { PATHS } from '../../src/api/contract.ts';
import { realClock } from '../../src/async/clock.ts';
import { encodePackets } from '../fakes/opus.ts';
import { hasPart } from './shown.ts';
import { withBot } from './support.ts';

// Voice is heard at its own pace.
const bot = withBot({ clock: realClock }, ['recognition', 'speech']);

const RATE_HZ = 48_000;
const tone = (seconds: number): Buffer[] =>
  encodePackets(
    Float32Array.from({ length: seconds * RATE_HZ }, (_, at) => Math.sin(at / 20) / 2),
  ).map((packet) => Buffer.from(packet));

const requests = (path: string): number =>
  bot.speech.seen.filter((request) => request.path === path).length;

const enter = async () => {
  const place = bot.place();
  const lounge = place.guild.channel({ type: 'voice', name: 'lounge' });
  const ann = lounge.join(place.ann);
  const panel = await bot.use(place, 'rooms');
  await bot.press(panel, 'rooms page:heard', undefined, place.guild.owner);
  await bot.press(panel, 'rooms spoken:off', undefined, place.guild.owner);
  const shows = async (part: string): Promise<void> => {
    await lounge.until((messages) => messages.some(({ content }) => hasPart(content, part)));
  };
  const leave = async (): Promise<void> => {
    await bot.use(place, 'leave');
    ann.leave();
  };
  return { place, lounge, ann, shows, leave };
};

it('captions and speech of a voice channel go over sockets, through broken connections', async () => {
  const { realtime } = bot.speech;
  realtime.habits = { hears: 'good morning everybody' };
  realtime.recognition.push({ cutAfterMs: 500 });
  const { place, lounge, ann, shows, leave } = await enter();
  await bot.use(place, 'captions start', { languages: 'en, es' }, place.ann);
  await ann.speak(tone(1.2));
  await shows('good morning everybody');
  await shows('es:good morning everybody');
  expect([requests(PATHS.asr), realtime.opened]).toEqual([0, 2]);
  const heard = lounge.recorded.packets.length;
  for (const text of ['one sentence', 'another sentence']) {
    await bot.use(place, 'say', { text }, place.ann);
    await lounge.recorded.until((all) => all.length >= heard + 10);
  }
  expect(realtime.spoken).toContain('Ann says: one sentence');
  await leave();
});

it('captions go on by requests when the service refuses its sockets, and the log says so once', async () => {
  bot.speech.realtime.recognition.push({ refuse: 403 });
  bot.speech.hears = [{ text: 'shall we begin now', language: 'en' }];
  const { place, ann, shows, leave } = await enter();
  await bot.use(place, 'captions start', {}, place.ann);
  await ann.speak(tone(1));
  await shows('shall we begin now');
  expect(bot.logged.filter((line) => line.includes('a realtime path is off'))).toHaveLength(1);
  expect(bot.logged.join('\n')).not.toContain(bot.speech.key);
  await leave();
});
