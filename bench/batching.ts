import { setTimeout as delay } from 'node:timers/promises';
import { realClock, type Clock } from '../src/async/clock.ts';
import { plainWords } from '../src/rich-text/compose.ts';
import { text } from '../src/rich-text/rich-text.ts';
import type { Mirror } from '../src/ports/mirrors.ts';
import { openDiscord, placeOf } from '../test/adapters/discord/support.ts';
import { fixed, printTable } from './measure.ts';

/**
 * A busy channel against Discord's rates: how long after it was said a translation stands, at the end of a minute
 * of three messages a second. Mirrors that wait are given to the adapter together, as the core does it, or one by
 * one. Time runs faster here, Discord's windows with it.
 */

const SPEED = 8;
const PER_SECOND = 3;
const SECONDS = 60;
/** As many as the core prepares ahead. */
const TOGETHER = 16;
const NAMES = ['Ann', 'Bob', 'Eve'];

const clock: Clock = {
  nowMs: () => realClock.nowMs() * SPEED,
  after: (delayMs, run) => realClock.after(delayMs / SPEED, run),
};

interface Measured {
  /** How late the last translation stood, in Discord's time. */
  readonly lagMs: number;
  readonly messages: number;
}

const measure = async (mode: 'thread' | 'reply', most: number): Promise<Measured> => {
  await using discord = await openDiscord({ speed: SPEED }, { clock });
  const guild = discord.fake.guild();
  const channel = guild.channel();
  const people = NAMES.map((name) => discord.fake.user({ name }));
  const here = placeOf(guild, channel);
  const target =
    mode === 'thread' ? await discord.mirrors.thread(here, 'Español') : { channel: here };
  const { signal } = new AbortController();
  const waiting: { readonly mirror: Mirror; readonly saidMs: number }[] = [];
  const total = PER_SECOND * SECONDS;
  let posted = 0;
  let lagMs = 0;

  const post = async (): Promise<void> => {
    while (posted < total) {
      const batch = waiting.splice(0, most);
      if (batch.length === 0) {
        await delay(1);
        continue;
      }
      const wanted = batch.map(({ mirror }) => mirror);
      const posting = discord.mirrors.create(target, wanted, { mayExist: false, signal });
      for await (const _ of posting) {
        lagMs = clock.nowMs() - (batch.shift()?.saidMs ?? 0);
        posted += 1;
      }
    }
  };
  const talk = async (): Promise<void> => {
    const startMs = clock.nowMs();
    for (let count = 0; count < total; count += 1) {
      const dueMs = startMs + (count * 1_000) / PER_SECOND;
      if (dueMs > clock.nowMs()) await delay((dueMs - clock.nowMs()) / SPEED);
      const by = people[count % people.length]!;
      const { id } = channel.say(by, `Something that is said here, number ${count}`);
      const mirror: Mirror = {
        source: { channel: here, id },
        key: 'watch',
        content: { text: plainWords(`Algo que se dice aquí, número ${count}`) },
        label: [text(mode === 'thread' ? '🌐 inglés' : '🇪🇸')],
        ...(mode === 'thread' ? { as: { name: by.name } } : {}),
      };
      waiting.push({ mirror, saidMs: clock.nowMs() });
    }
  };
  await Promise.all([talk(), post()]);
  const own = mode === 'thread' ? (channel.threads[0]?.messages ?? []) : channel.messages;
  return { lagMs, messages: own.length - (mode === 'thread' ? 0 : total) };
};

const seconds = ({ lagMs, messages }: Measured): string =>
  `${fixed(lagMs / 1_000, 1)} s, ${messages} messages`;

for (const mode of ['thread', 'reply'] as const) {
  const [together, alone] = [await measure(mode, TOGETHER), await measure(mode, 1)];
  printTable(`${PER_SECOND} messages a second in one channel for a minute, ${mode} mode`, [
    {
      what: 'lag of the last translation',
      ours: seconds(together),
      common: seconds(alone),
      ratio: fixed(together.lagMs / alone.lagMs),
    },
  ]);
}
process.exit();
