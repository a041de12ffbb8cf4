import { setTimeout as delay } from 'node:timers/promises';
import type { VoicePerson } from '../../test/fakes/discord/index.ts';
import {
  numberedSpeech,
  WORD_PACKETS,
  wordsOf,
  wordsShown,
} from '../../test/fakes/numbered-speech.ts';
import { fixed, median } from '../measure.ts';
import { openStage, type Stage } from './harness.ts';

const AWAY_MS = 8_000;
/** Outages last so much longer or shorter: the bot tries at certain times after their beginning. */
const VARIES_MS = 1_000;
/** Connections last so long between two outages that each is one of its own. */
const CALM_MS = 7_000;
const WORDS = 6;
const PAUSE_MS = 750;
const PACKET_MS = 20;
const LOOK_EVERY_MS = 20;
const LONGEST_MS = 120_000;

interface Outage {
  readonly name: string;
  readonly begin: (stage: Stage) => void;
  readonly end: (stage: Stage) => Promise<void> | void;
}

const OUTAGES: readonly Outage[] = [
  {
    name: 'it resets connections',
    begin: ({ bot: { discord } }) => {
      discord.voice.refuse(true);
      discord.voice.drop();
    },
    end: ({ bot: { discord } }) => discord.voice.refuse(false),
  },
  {
    name: 'the session is over, and it resets connections',
    begin: ({ bot: { discord } }) => {
      discord.voice.refuse(true);
      discord.voice.close(4006);
    },
    end: ({ bot: { discord } }) => discord.voice.refuse(false),
  },
  {
    name: 'there is none for the channel',
    begin: ({ bot: { discord }, lounge }) => discord.voice.withdraw(lounge),
    end: async ({ bot: { discord }, lounge }) => discord.voice.allocate(lounge),
  },
];

interface Spoken {
  readonly words: readonly string[];
  readonly startMs: number;
}

const talkOn = async (person: VoicePerson, said: Spoken[], stopped: AbortSignal): Promise<void> => {
  for (let utterance = 1; !stopped.aborted; utterance += 1) {
    said.push({ words: wordsOf(0, utterance, WORDS), startMs: performance.now() });
    await person.speak(numberedSpeech(0, utterance, WORDS));
    await person.silence(PAUSE_MS);
  }
};

/** Waits for the first caption of a word that was spoken since then; the time until it. */
const untilCaption = async (
  { lounge }: Stage,
  said: readonly Spoken[],
  sinceMs: number,
): Promise<number> => {
  for (;;) {
    const fresh = new Set(
      said.flatMap(({ words, startMs }) =>
        words.filter((_, at) => startMs + at * WORD_PACKETS * PACKET_MS >= sinceMs),
      ),
    );
    const isShown = lounge.messages.some(({ content }) =>
      wordsShown(content.replaceAll('*', '')).some((word) => fresh.has(word)),
    );
    const lastedMs = performance.now() - sinceMs;
    if (isShown || lastedMs > LONGEST_MS) return lastedMs;
    await delay(LOOK_EVERY_MS);
  }
};

const isReady = ({ bot, lounge }: Stage): boolean =>
  bot.discord.voice.connections.some(({ channelId, ready }) => channelId === lounge.id && ready);

const seconds = (values: readonly number[]): string =>
  `${fixed(median(values) / 1_000, 1)} s, ${fixed(Math.max(...values) / 1_000, 1)} s at most`;

/** Measures captions after a voice server was away for eight seconds, `tries` times each kind of outage. */
export const measureAway = async (tries: number): Promise<void> => {
  const stage = await openStage();
  const user = stage.user('Ann');
  const person = stage.lounge.join(user);
  await stage.caption(user);
  const said: Spoken[] = [];
  const stopped = new AbortController();
  const talking = talkOn(person, said, stopped.signal);
  await untilCaption(stage, said, performance.now());

  console.log(
    `\n### A voice server that is away for ${AWAY_MS / 1_000} ± ${VARIES_MS / 1_000} s, ${tries} times each\n`,
  );
  console.log('| how | from its return to the connection | to the first caption |\n|---|---|---|');
  for (const { name, begin, end } of OUTAGES) {
    const connections: number[] = [];
    const captions: number[] = [];
    for (let at = 0; at < tries; at += 1) {
      await delay(CALM_MS);
      begin(stage);
      await delay(AWAY_MS + (2 * Math.random() - 1) * VARIES_MS);
      const backMs = performance.now();
      await end(stage);
      const caption = untilCaption(stage, said, backMs);
      await stage.bot.discord.until(() => isReady(stage), LONGEST_MS);
      connections.push(performance.now() - backMs);
      captions.push(await caption);
    }
    console.log(`| ${name} | ${seconds(connections)} | ${seconds(captions)} |`);
    console.error(captions.map((ms) => Math.round(ms)).join(' '));
  }
  stopped.abort();
  await talking;
  await stage[Symbol.asyncDispose]();
};
