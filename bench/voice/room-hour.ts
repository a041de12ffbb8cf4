import { setImmediate as nextTurn } from 'node:timers/promises';
import { createServiceClient } from '../../src/api/client.ts';
import { openCore } from '../../src/app/core.ts';
import { loadTexts } from '../../src/i18n/texts.ts';
import { createLog } from '../../src/telemetry/log.ts';
import type { Posted } from '../../src/model/place.ts';
import { realClock } from '../../src/async/clock.ts';
import type { LinkListener } from '../../src/ports/voice.ts';
import { openStore } from '../../src/store/index.ts';
import { createTestClock } from '../../test/fakes/clock.ts';
import { numberedSpeech, wordsHeard } from '../../test/fakes/numbered-speech.ts';
import { startSpeechFake } from '../../test/fakes/speech.ts';
import { channelOf, createVoicePlace, human } from '../../test/fakes/voice-port.ts';
import { rich } from '../../test/fakes/rich-text.ts';

/**
 * A room in which twenty people talk, without a platform, faster than in real time. Says marks on its
 * output, and goes on after each line of its input.
 */
export type Mark = 'begun' | `minute ${number}` | 'left';

const MINUTES = Number(process.argv[2]);
const SPEAKERS = 20;
const TICK_MS = 20;
const TICKS_A_SECOND = 50;
const STEP_MS = 100;
const PACKET_SAMPLES = 960;
/** Each talks two fifths of the time. */
const LONGEST_WORDS = 25;
const LONGEST_PAUSE_MS = 7_500;
const SHORTEST_PAUSE_MS = 750;
/** The hour waits for the service where it would run away from it. */
const MOST_UNDER_WAY = 6;
const SAY_EVERY_MS = 60_000;
const KEPT_MS = 31 * 60_000;
/** More than a display still edits. */
const MESSAGES_KEPT = 50;

const clock = createTestClock(0);
// The time of rooms, and no other, is ours.
Object.assign(realClock, { nowMs: clock.nowMs, after: clock.after });

const speech = await startSpeechFake();
speech.listen = (audio) => ({ text: wordsHeard(audio).join(' '), language: 'en' });
const client = createServiceClient({ baseUrl: speech.url, key: speech.key });
const underWay = new Set<object>();
const counted: typeof client = {
  ...client,
  transcribe: async (...given) => {
    underWay.add(given);
    try {
      return await client.transcribe(...given);
    } finally {
      underWay.delete(given);
    }
  },
};
const store = await openStore('sqlite::memory:');
const running = await openCore({
  client: counted,
  store,
  texts: loadTexts('locales'),
  log: createLog('silent'),
  commands: [],
  config: { INBOX_DAYS: 7, COPY_DAYS: 365 },
  engines: undefined,
});
const place = createVoicePlace(clock);
let told: LinkListener | undefined;
const posts: Posted[] = [];
running.attach({
  ready: () => true,
  platform: {
    ...place.platform,
    post: async (to, content) => {
      const posted = await place.platform.post(to, content);
      posts.push(posted);
      if (posts.length > MESSAGES_KEPT) await place.platform.delete(posts.shift()!);
      return posted;
    },
    voice: {
      ...place.port,
      join: async (room, listener, signal) => {
        told = listener;
        return place.port.join(room, listener, signal);
      },
    },
  },
});
place.watchedBy(running.core.rooms);

const next = async (mark: Mark): Promise<void> => {
  console.log(mark);
  await new Promise((resolve) => process.stdin.once('data', resolve));
};

const pass = async (ms: number): Promise<void> => {
  for (let atMs = 0; atMs < ms; atMs += STEP_MS) await clock.advance(STEP_MS);
};

interface Speaker {
  readonly id: string;
  packets: readonly Buffer[];
  at: number;
  utterance: number;
  nextMs: number;
  sequence: number;
}
const speakers = Array.from({ length: SPEAKERS }, (_, at): Speaker => ({
  id: `p${at}`,
  packets: [],
  at: 0,
  utterance: 0,
  nextMs: clock.nowMs() + Math.random() * LONGEST_PAUSE_MS,
  sequence: 0,
}));

const talk = (speaker: Speaker, number: number): void => {
  const nowMs = clock.nowMs();
  if (nowMs < speaker.nextMs) return;
  const data = speaker.packets[speaker.at];
  if (!data) {
    speaker.utterance = (speaker.utterance + 1) % 65_536;
    const words = 1 + Math.round(Math.random() * LONGEST_WORDS);
    speaker.packets = numberedSpeech(number, speaker.utterance, words);
    speaker.at = 0;
    speaker.nextMs = nowMs + SHORTEST_PAUSE_MS + Math.random() * LONGEST_PAUSE_MS;
    return;
  }
  speaker.at += 1;
  speaker.sequence += 1;
  told!.packet({
    speakerId: speaker.id,
    data,
    sequence: speaker.sequence,
    timestampSamples: (nowMs / TICK_MS) * PACKET_SAMPLES,
    arrivedMs: nowMs,
  });
};

const room = channelOf('room');
place.enter(room, ...speakers.map(({ id }, at) => human(id, `Person ${at}`)));
const { rooms } = running.core.services;

const meet = async (minutes: number): Promise<void> => {
  const joining = rooms.join(room, 'en', true);
  await pass(100);
  const joined = await joining;
  const captioning = joined.startCaptions({ languages: ['es'] });
  await pass(20_000);
  await captioning;
  for (let minute = 0; minute < minutes; minute += 1) {
    for (let tick = 0; tick < 60 * TICKS_A_SECOND; tick += 1) {
      for (const [number, speaker] of speakers.entries()) talk(speaker, number);
      await clock.advance(TICK_MS);
      while (underWay.size > MOST_UNDER_WAY) await nextTurn();
      if (clock.nowMs() % SAY_EVERY_MS < TICK_MS)
        await joined.say({
          kind: 'say',
          text: rich(`It is minute ${minute} of this long meeting.`),
        });
    }
    // What the fakes keep for tests.
    for (const kept of [speech.seen, place.history, place.played]) (kept as unknown[]).length = 0;
    await next(`minute ${minute + 1}`);
  }
  await Promise.all([joined.leave(), pass(30_000)]);
};

await next('begun');
await meet(MINUTES);
// What was said can be asked for a while longer.
await pass(KEPT_MS);
await next('left');
process.exit();
