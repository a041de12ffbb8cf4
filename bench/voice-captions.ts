import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { SILENCE_PACKET } from '../src/audio/opus/packet.ts';
import { USUAL_PAUSE_MS } from '../src/model/room.ts';
import { createEndpointer } from '../src/voice/stt/endpointer.ts';
import type { RequestRecord } from '../test/fakes/discord/state.ts';
import type { VoicePerson } from '../test/fakes/discord/voice/index.ts';
import { fixed, quantile } from './measure.ts';
import { startVoiceBot, type Room, type VoiceBot } from './voice/bot.ts';
import { encodeOpus, openSynthesiser, PACKET_SAMPLES, type Synthesiser } from './voice/sounds.ts';
import { ROOMS, sentencesOf, SPEAKERS, type Sentence } from './voice/sentences.ts';

/**
 * Two speakers who talk over each other in two languages, in each of three rooms: from the end of an
 * utterance to the request at the recogniser, and from its answer to the caption's arrival at
 * Discord. Both fakes are part of the times; they answer at once.
 */

const PACKET_MS = 20;
const HANGOVER_MS = USUAL_PAUSE_MS;
const PAUSE_MS = 900;
const LONGEST_WAIT_MS = 15_000;
const SECOND_STARTS_MS = 1_200;
/** Lines that began nearer to each other may stand in any order. */
const SAME_MOMENT_MS = 60;
/** The adapter's pace of edits in one channel. */
const EDITS = { count: 4, windowMs: 5_000 };

/** Something that is said in a room, and what became of it. */
interface Utterance {
  readonly text: string;
  readonly translation: string;
  readonly language: 'en' | 'es';
  readonly packets: readonly Buffer[];
  /** Of its packets, some by which the recogniser knows it. */
  readonly marks: readonly Buffer[];
  /** From its first packet to the arrival of the first and the last one with voice. */
  readonly voiceMs: { readonly start: number; readonly end: number };
  startedMs: number;
  /** When the recogniser had the last request for it, and answered; 0: never. */
  askedMs: number;
  translatedMs: number;
}

const nowMs = (): number => performance.timeOrigin + performance.now();

/** Where its voice begins and ends, as the program cuts it. */
const voiceOf = async (packets: readonly Buffer[]): Promise<Utterance['voiceMs']> => {
  using endpointer = createEndpointer();
  const all = [...packets, ...Array.from({ length: 5 }, () => SILENCE_PACKET)];
  const ended = [];
  for (const [index, data] of all.entries()) {
    const sequence = index;
    const arrivedMs = index * PACKET_MS;
    const timestampSamples = index * PACKET_SAMPLES;
    ended.push(...endpointer.take({ speakerId: '1', data, sequence, timestampSamples, arrivedMs }));
    // The endpointer's decoder comes in its time.
    await nextTurn();
  }
  ended.push(...endpointer.tick(all.length * PACKET_MS + HANGOVER_MS));
  const whole = ended.filter(({ kind }) => kind === 'ended');
  const [one] = whole;
  assert(one && whole.length === 1, 'a sentence is one utterance');
  return { start: one.utterance.startMs, end: one.utterance.endMs };
};

interface Talk extends Room {
  readonly speakers: readonly {
    readonly person: VoicePerson;
    readonly says: readonly Utterance[];
  }[];
}

const prepare = async (
  synthesiser: Synthesiser,
  sentence: Sentence,
  { language, other, kind }: (typeof SPEAKERS)[number],
  voices: (typeof ROOMS)[number],
): Promise<Utterance> => {
  const { sound } = await synthesiser.say(sentence[language], voices[language], voices.gender);
  const packets = encodeOpus(sound, kind);
  return {
    text: sentence[language],
    translation: sentence[other],
    language,
    packets,
    marks: packets.filter((_, index) => index % 10 === 5 && index < packets.length - 5),
    voiceMs: await voiceOf(packets),
    startedMs: 0,
    askedMs: 0,
    translatedMs: 0,
  };
};

/** Rooms in which captions have begun. */
const setUp = async (bot: VoiceBot): Promise<Talk[]> => {
  await using synthesiser = await openSynthesiser();
  const talks: Talk[] = [];
  for (const voices of ROOMS) {
    const room = bot.room();
    const said = sentencesOf(voices.town);
    const speakers = [];
    for (const [index, speaker] of SPEAKERS.entries()) {
      const says: Utterance[] = [];
      for (const sentence of said[index] ?? [])
        says.push(await prepare(synthesiser, sentence, speaker, voices));
      speakers.push({ person: room.lounge.join(bot.discord.user({ name: speaker.name })), says });
    }
    await bot.use(room, room.lounge.present[0]!, 'captions start', { languages: 'en, es' });
    talks.push({ ...room, speakers });
  }
  return talks;
};

const utterancesOf = (talks: readonly Talk[]): Utterance[] =>
  talks.flatMap(({ speakers }) => speakers.flatMap(({ says }) => says));

/** A service that knows the utterances again, and how much of one it was given. */
const script = (speech: VoiceBot['speech'], utterances: readonly Utterance[]): void => {
  speech.listen = (audio) => {
    for (const one of utterances) {
      const heard = one.marks.filter((mark) => audio.includes(mark)).length;
      if (heard === 0) continue;
      one.askedMs = nowMs();
      const words = one.text.split(' ');
      const text = words.slice(0, Math.ceil((words.length * heard) / one.marks.length)).join(' ');
      return { text, language: one.language, confidence: 0.9 };
    }
    return { text: '', language: 'en', confidence: 0 };
  };
  speech.translate = (text) => {
    const one = utterances.find((each) => each.text === text);
    assert(one, `nobody said “${text}”`);
    one.translatedMs = nowMs();
    return one.translation;
  };
};

const talkOver = async ({ speakers }: Talk): Promise<void> => {
  await Promise.all(
    speakers.map(async ({ person, says }, index) => {
      await person.silence(index * SECOND_STARTS_MS);
      for (const one of says) {
        one.startedMs = performance.timeOrigin + (await person.speak(one.packets)).startedMs;
        await person.silence(PAUSE_MS);
      }
    }),
  );
};

const shownIn = ({ lounge }: Room): string =>
  lounge.messages.map(({ content }) => content).join('\n');

const allShown = async (talk: Talk): Promise<void> => {
  const texts = utterancesOf([talk]).flatMap(({ text, translation }) => [text, translation]);
  await talk.lounge.until(
    () => texts.every((text) => shownIn(talk).includes(text)),
    LONGEST_WAIT_MS,
  );
};

/** Asserts that all lines and translations stand in the order in which they were spoken. */
const checkOrder = (talk: Talk): void => {
  const shown = shownIn(talk);
  const spoken = talk.speakers
    .flatMap(({ says }) => says)
    .map((one) => ({ ...one, atMs: one.startedMs + one.voiceMs.start }))
    .toSorted((a, b) => a.atMs - b.atMs);
  for (const [index, one] of spoken.entries())
    for (const later of spoken.slice(index + 1)) {
      if (later.atMs - one.atMs < SAME_MOMENT_MS) continue;
      const inOrder = shown.indexOf(one.text) < shown.indexOf(later.text);
      assert(inOrder, `“${one.text}” was said before “${later.text}”:\n${shown}`);
    }
};

interface Leaving {
  readonly afterMs: number;
  /** The same from when the rate of edits in one channel lets it go. */
  readonly ownMs: number;
}

const isCaption = ({ method, path, body }: RequestRecord, { lounge }: Room): boolean =>
  (method === 'POST' || method === 'PATCH') &&
  path.startsWith(`/channels/${lounge.id}/messages`) &&
  typeof body['content'] === 'string';

/** From an answer to the arrival of the first message that shows what it said. */
const leavingOf = (
  text: string,
  answeredMs: number,
  requests: readonly RequestRecord[],
): Leaving => {
  const shows = ({ body }: RequestRecord): boolean => {
    const content = String(body['content']);
    return content.includes(text) && !content.includes(`${text} …`);
  };
  const shown = requests.find((one) => one.at >= Math.floor(answeredMs) && shows(one));
  assert(shown, `“${text}” was never shown`);
  const edits = requests.filter(({ method, at }) => method === 'PATCH' && at <= answeredMs);
  const oldest = shown.method === 'PATCH' ? edits.at(-EDITS.count) : undefined;
  const freeMs = (oldest?.at ?? -Infinity) + EDITS.windowMs;
  return { afterMs: shown.at - answeredMs, ownMs: shown.at - Math.max(answeredMs, freeMs) };
};

const row = (what: string, times: readonly number[], targetMs: number | undefined): void => {
  const [p50, p95, most] = [quantile(times, 0.5), quantile(times, 0.95), Math.max(...times)];
  const target = targetMs === undefined ? '–' : `${targetMs} ms`;
  console.log(
    `| ${what} | ${times.length} | ${fixed(p50, 1)} ms | ${fixed(p95, 1)} ms | ${fixed(most, 1)} ms | ${target} |`,
  );
};
const rows = (what: string, leavings: readonly Leaving[]): void => {
  row(
    `${what} to its arrival at Discord`,
    leavings.map(({ ownMs }) => ownMs),
    100,
  );
  const held = leavings.filter(({ afterMs, ownMs }) => afterMs > ownMs).length;
  const waits = `the same with the waits for the rate of edits, which ${held} had`;
  row(
    waits,
    leavings.map(({ afterMs }) => afterMs),
    undefined,
  );
};

const print = (
  talks: readonly Talk[],
  requestsOf: (talk: Talk) => readonly RequestRecord[],
): void => {
  const all = utterancesOf(talks);
  const lines: Leaving[] = [];
  const translations: Leaving[] = [];
  for (const talk of talks) {
    const requests = requestsOf(talk);
    for (const { text, translation, askedMs, translatedMs } of utterancesOf([talk])) {
      lines.push(leavingOf(text, askedMs, requests));
      translations.push(leavingOf(translation, translatedMs, requests));
    }
  }
  const toRecogniser = all.map(
    ({ startedMs, askedMs, voiceMs }) => askedMs - startedMs - voiceMs.end - HANGOVER_MS,
  );
  console.log(`
### ${all.length} utterances of ${talks.length * 2} speakers in ${talks.length} rooms, all captions in spoken order

| what | of | median | 95th percentile | longest | allowed |
|---|---|---|---|---|---|`);
  row('end of the hangover to the request at the recogniser', toRecogniser, 150);
  rows('a line', lines);
  rows('a translation', translations);
};

const run = async (): Promise<void> => {
  await using bot = await startVoiceBot();
  const talks = await setUp(bot);
  script(bot.speech, utterancesOf(talks));
  await Promise.all(talks.map(talkOver));
  await Promise.all(talks.map(allShown));
  for (const talk of talks) checkOrder(talk);
  print(talks, (talk) => bot.discord.requests.filter((one) => isCaption(one, talk)));
};

await run();
process.exit();
