import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { OPUS_CLOCK_HZ } from '../src/audio/opus/packet.ts';
import { createResampler } from '../src/audio/resample.ts';
import type { FakeUser } from '../test/fakes/discord/index.ts';
import { fixed, quantile } from './measure.ts';
import { startVoiceBot, type Room, type VoiceBot } from './voice/bot.ts';
import {
  correlation,
  decodePlayed,
  isSilence,
  lagOf,
  RATE_HZ,
  shareAt,
  type Played,
} from './voice/heard.ts';
import { openSynthesiser } from './voice/sounds.ts';

/**
 * Speech in a voice channel: from its first 20 ms at the service to its first packet at Discord's
 * voice server, what people hear against what the service gave, and a long queue.
 */

const PACKET_MS = 20;
const PACKET_SAMPLES = (RATE_HZ * PACKET_MS) / 1_000;
/** The service gives 20 ms of sound in each such time. */
const SERVICE_PACE_MS = 8;
const PLACES = ['Lisbon', 'Vienna', 'Oslo'];
const ROUNDS = 12;
/** After the last packet of one thing, before the next is asked for. */
const REST_MS = 150;
/** The delay of Opus and of the resampling of nothing: far below this. */
const MOST_LAG_SAMPLES = PACKET_SAMPLES;
/** Of the beginning and the end, which are looked at alone. */
const EDGE_SAMPLES = 3 * PACKET_SAMPLES;

interface Speech {
  readonly text: string;
  /** At 24 kHz. */
  readonly sound: Float32Array;
  /** When the service gave its first 20 ms; 0: not yet. */
  givenMs: number;
}

interface Heard {
  readonly firstPacketMs: number;
  readonly lengthMs: number;
  readonly likeness: number;
  readonly startLikeness: number;
  readonly endLikeness: number;
}

const makeSpeeches = async (): Promise<Speech[][]> => {
  await using synthesiser = await openSynthesiser();
  const all: Speech[][] = [];
  for (const place of PLACES) {
    const speeches: Speech[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const text = `Train ${round + 1} to ${place} leaves now`;
      const { sound } = await synthesiser.say(text, 'English (America)');
      const resampler = createResampler(OPUS_CLOCK_HZ, RATE_HZ);
      const samples = Float32Array.from([...resampler.push(sound), ...resampler.end()]);
      speeches.push({ text, sound: samples, givenMs: 0 });
    }
    all.push(speeches);
  }
  return all;
};

/** Gives the speech as a service does that makes it a little faster than it is heard. */
async function* giving(speech: Speech): AsyncGenerator<Float32Array, void, void> {
  const startMs = performance.now();
  for (let at = 0; at < speech.sound.length; at += PACKET_SAMPLES) {
    const dueMs = startMs + (at / PACKET_SAMPLES) * SERVICE_PACE_MS;
    const waitMs = dueMs - performance.now();
    if (waitMs > 0) await delay(waitMs);
    if (at === 0) speech.givenMs = performance.now();
    yield speech.sound.subarray(at, at + PACKET_SAMPLES);
  }
}

const compare = async ({ sound, givenMs }: Speech, packets: readonly Played[]): Promise<Heard> => {
  const heard = await decodePlayed(packets);
  const lag = lagOf(sound, heard, MOST_LAG_SAMPLES);
  const endAt = sound.length - EDGE_SAMPLES;
  return {
    firstPacketMs: packets[0]!.atMs - givenMs,
    lengthMs: packets.length * PACKET_MS - (sound.length * 1_000) / RATE_HZ,
    likeness: correlation(sound, heard, { lag }),
    startLikeness: correlation(sound, heard, { lag, samples: EDGE_SAMPLES }),
    endLikeness: correlation(sound, heard, { lag, at: endAt, samples: EDGE_SAMPLES }),
  };
};

/** Somebody in a voice channel with the bot. */
interface Seat {
  readonly room: Room;
  readonly by: FakeUser;
}

/** Has everything said, one thing after the other; what was played of each. */
const sayAll = async (
  bot: VoiceBot,
  { room, by }: Seat,
  speeches: readonly Speech[],
): Promise<Played[][]> => {
  const { recorded } = room.lounge;
  const all: Played[][] = [];
  for (const speech of speeches) {
    recorded.packets.length = 0;
    await bot.use(room, by, 'say', { text: speech.text });
    // Silence tells that it is over.
    await recorded.until((packets) => packets.length > 5 && isSilence(packets.at(-1)!), 20_000);
    all.push(recorded.packets.filter((packet) => !isSilence(packet)));
    await delay(REST_MS);
  }
  return all;
};

const CHATTERERS = ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve'];
const LINES = 40;
const LINE_SECONDS = 1.2;
const LONGEST_READ_WAIT_MS = 20_000;
/** From a line to the program and from there to us, its packet of 20 ms among it. */
const ON_THE_WAY_MS = 60;
const WINDOW_PACKETS = 5;
/** A line is heard in a window of which nearly all is its tone. */
const CLEAR = 0.9;
/** How long lines can be heard that were let begin. */
const BACKLOG_MS = 26_000;

const frequencyOf = (line: number): number => 400 + 40 * line;

async function* toneOf(line: number): AsyncGenerator<Float32Array, void, void> {
  const step = (2 * Math.PI * frequencyOf(line)) / RATE_HZ;
  yield Float32Array.from(
    { length: RATE_HZ * LINE_SECONDS },
    (_, index) => 0.5 * Math.sin(index * step),
  );
}

/** When each line was first heard, by its tone. */
const startsOf = async (packets: readonly Played[]): Promise<Map<number, number>> => {
  const heard = await decodePlayed(packets);
  const starts = new Map<number, number>();
  for (const [index, { atMs }] of packets.entries()) {
    const from = index * PACKET_SAMPLES;
    const window = heard.subarray(from, from + WINDOW_PACKETS * PACKET_SAMPLES);
    for (let line = 0; line < LINES; line += 1)
      if (!starts.has(line) && shareAt(window, frequencyOf(line)) > CLEAR) starts.set(line, atMs);
  }
  return starts;
};

/** Many lines at once in a channel that is read aloud. */
const backlog = async (bot: VoiceBot, room: Room): Promise<{ waitsMs: number[] }> => {
  const { lounge } = room;
  await bot.use(room, room.guild.owner, 'readaloud on');
  const people = CHATTERERS.map((name) => bot.discord.user({ name }));
  lounge.recorded.packets.length = 0;
  const saidMs: number[] = [];
  for (let line = 0; line < LINES; line += 1) {
    saidMs.push(performance.now());
    lounge.say(people[line % people.length]!, `This is line ${line} of many`);
  }
  await delay(BACKLOG_MS);
  const starts = await startsOf(lounge.recorded.packets.filter((packet) => !isSilence(packet)));
  return { waitsMs: [...starts].map(([line, atMs]) => atMs - saidMs[line]!) };
};

const run = async (): Promise<void> => {
  const speeches = await makeSpeeches();
  const known = speeches.flat();
  await using bot = await startVoiceBot();
  bot.speech.sound = (text) => {
    const speech = known.find((one) => text.includes(one.text));
    if (speech) return giving(speech);
    return toneOf(Number(/line (\d+)/.exec(text)?.[1] ?? 0));
  };
  const seats: Seat[] = [];
  for (const _ of speeches) {
    const room = bot.room();
    const by = bot.discord.user({ name: 'Ann' });
    room.lounge.join(by);
    await bot.use(room, by, 'join');
    seats.push({ room, by });
  }
  // The first words of all find nothing loaded.
  const [first] = speeches[0]!.splice(0, 1);
  const [firstPlayed] = await sayAll(bot, seats[0]!, [first!]);
  const { firstPacketMs: coldMs } = await compare(first!, firstPlayed!);
  const played = await Promise.all(
    seats.map(async (seat, index) => sayAll(bot, seat, speeches[index]!)),
  );
  const heard: Heard[] = [];
  for (const [index, each] of speeches.flat().entries())
    heard.push(await compare(each, played.flat()[index]!));
  const { waitsMs } = await backlog(bot, seats[0]!.room);
  const longestMs = Math.max(...waitsMs);
  assert(waitsMs.length > 0, 'nothing was read aloud');
  assert(longestMs <= LONGEST_READ_WAIT_MS + ON_THE_WAY_MS, `one waited ${longestMs} ms`);

  const firstMs = heard.map(({ firstPacketMs }) => firstPacketMs);
  const least = (of: (one: Heard) => number): string => fixed(Math.min(...heard.map(of)), 3);
  const off = heard.map(({ lengthMs }) => lengthMs);
  console.log(`
### ${heard.length} times something said in ${seats.length} rooms

| what | median | 95th percentile | most | allowed |
|---|---|---|---|---|
| first 20 ms at the service to the first packet at Discord | ${fixed(quantile(firstMs, 0.5), 1)} ms | ${fixed(quantile(firstMs, 0.95), 1)} ms | ${fixed(Math.max(...firstMs), 1)} ms | 40 ms |
| the same, of the first words after the start | ${fixed(coldMs, 1)} ms | – | – | – |

| what is heard against what was given | | allowed |
|---|---|---|
| least correlation | ${least(({ likeness }) => likeness)} | – |
| least correlation of the first 60 ms | ${least(({ startLikeness }) => startLikeness)} | – |
| least correlation of the last 60 ms | ${least(({ endLikeness }) => endLikeness)} | – |
| length | ${fixed(Math.min(...off), 0)} to ${fixed(Math.max(...off), 0)} ms more | ± 40 ms |

Of ${LINES} lines written at once ${waitsMs.length} were read aloud, the last of them ${fixed(longestMs / 1_000, 2)} s after it was written (allowed: ${LONGEST_READ_WAIT_MS / 1_000} s); the others were left out with a note.`);
};

await run();
process.exit();
