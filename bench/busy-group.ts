import { setTimeout as delay } from 'node:timers/promises';
import { realClock, type Clock } from '../src/async/clock.ts';
import { plainWords } from '../src/rich-text/compose.ts';
import { text } from '../src/rich-text/rich-text.ts';
import { ROWS_AHEAD } from '../src/autotranslate/partition-worker.ts';
import type { Mirror } from '../src/ports/mirrors.ts';
import { openDiscord, placeOf } from '../test/adapters/discord/support.ts';
import { fixed, printTable } from './measure.ts';

/**
 * Linked channels against Discord's rates: how long after it was said a mirror stands, in the second half of a minute
 * of ten messages a second. As in the core, up to `ROWS_AHEAD` messages are posted together in all channels before
 * the next; the common way posts one by one. Time runs faster here, Discord's windows with it.
 */

const SPEED = 8;
const PER_SECOND = 10;
const SECONDS = 60;
/** Other numbers of messages that are posted together, with texts of both lengths. */
const OTHERS = [16, 48];
const CHANNELS = 3;
const PEOPLE = 12;
/** Texts of 60 and of 120 characters. */
const SHORT = 'Algo que se dice aquí entre muchas personas, con el número';
const LONG = `${SHORT}, y que por eso es más largo que todo lo otro que se dice aquí`;

const clock: Clock = {
  nowMs: () => realClock.nowMs() * SPEED,
  after: (delayMs, run) => realClock.after(delayMs / SPEED, run),
};

interface Said {
  readonly channel: number;
  readonly mirror: Mirror;
  readonly saidMs: number;
}

interface Measured {
  /** Median lag in Discord's time. */
  readonly medianMs: number;
  readonly shown: string;
}

const measure = async (speaking: number, most: number, words = SHORT): Promise<Measured> => {
  await using discord = await openDiscord(
    { speed: SPEED },
    { clock, requestsPerSecond: 50 * SPEED },
  );
  const guild = discord.fake.guild();
  const linked = Array.from({ length: CHANNELS }, () => guild.channel());
  const people = Array.from({ length: PEOPLE }, (_, index) =>
    discord.fake.user({ name: `Person ${index}` }),
  );
  const { signal } = new AbortController();
  const waiting: Said[] = [];
  const lagsMs: number[] = [];
  const total = PER_SECOND * SECONDS;
  let done = 0;

  const postIn = async (to: number, batch: readonly Said[]): Promise<void> => {
    const others = batch.filter(({ channel }) => channel !== to);
    const target = { channel: placeOf(guild, linked[to]!) };
    const mirrors = others.map(({ mirror }) => mirror);
    let next = 0;
    for await (const _ of discord.mirrors.create(target, mirrors, { mayExist: false, signal })) {
      lagsMs.push(clock.nowMs() - others[next]!.saidMs);
      next += 1;
    }
  };
  const post = async (): Promise<void> => {
    while (done < total) {
      const batch = waiting.splice(0, most);
      if (batch.length === 0) await delay(1);
      else await Promise.all(linked.map(async (_, to) => postIn(to, batch)));
      done += batch.length;
    }
  };
  const startMs = clock.nowMs();
  const talk = async (): Promise<void> => {
    for (let count = 0; count < total; count += 1) {
      const dueMs = startMs + (count * 1_000) / PER_SECOND;
      if (dueMs > clock.nowMs()) await delay((dueMs - clock.nowMs()) / SPEED);
      const by = people[(count * 7) % PEOPLE]!;
      const channel = count % speaking;
      const here = linked[channel]!;
      const { id } = here.say(by, `Something that is said here, number ${count}`);
      const mirror: Mirror = {
        source: { channel: placeOf(guild, here), id },
        key: 'watch',
        content: { text: plainWords(`${words} ${count}`) },
        label: [text('🌐 inglés')],
        as: { name: by.name },
      };
      waiting.push({ channel, mirror, saidMs: clock.nowMs() });
    }
  };
  await Promise.all([talk(), post()]);
  const late = lagsMs.slice(lagsMs.length / 2).toSorted((a, b) => a - b);
  const [medianMs, mostMs] = [late[late.length >> 1], late.at(-1)] as [number, number];
  return {
    medianMs,
    shown: `${fixed(medianMs / 1_000, 1)} s, ${fixed(mostMs / 1_000, 1)} s at most`,
  };
};

const speakers = [1, CHANNELS];
printTable(
  `${PER_SECOND} messages a second for ${SECONDS} s in ${CHANNELS} linked channels`,
  await Promise.all(
    speakers.map(async (speaking) => {
      const [ours, common] = await Promise.all([
        measure(speaking, ROWS_AHEAD),
        measure(speaking, 1),
      ]);
      return {
        what: `lag of mirrors, people write in ${speaking}`,
        ours: ours.shown,
        common: common.shown,
        ratio: fixed(ours.medianMs / common.medianMs),
      };
    }),
  ),
);
const variants = [ROWS_AHEAD, ...OTHERS].flatMap((together) =>
  speakers.map((speaking) => ({ together, speaking })),
);
printTable(
  'the same with texts of 120 characters, by how many are posted together',
  await Promise.all(
    variants.map(async ({ together, speaking }) => ({
      what: `${together} together, people write in ${speaking}`,
      ours: (await measure(speaking, together, LONG)).shown,
      common: '–',
      ratio: '–',
    })),
  ),
);
process.exit();
