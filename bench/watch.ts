import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBot } from '../test/fakes/bot.ts';
import {
  startDiscordFake,
  type DiscordFake,
  type FakeChannel,
} from '../test/fakes/discord/index.ts';
import { startSpeechFake } from '../test/fakes/speech.ts';
import { spawnCommonBot } from './common-bot.ts';
import { fixed, printTable, quantile, rssMb } from './measure.ts';
import { processorMs } from './processor-time.ts';

/**
 * Channels that are translated in place under load: from a message's leaving the gateway to its
 * reply's arriving at Discord, both fakes included, against the common bot that translates in its
 * event handler and keeps nothing.
 */

const CHANNELS = 100;
const PER_SECOND = 200;
const SECONDS = 20;
const WARM_UP_SECONDS = 5;
interface Measured {
  /** Ids of the messages that were measured. */
  readonly ids: ReadonlySet<string>;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cpuMs: number;
  readonly beforeMb: number;
  readonly afterMb: number;
}

const load = async (
  discord: DiscordFake,
  channels: readonly FakeChannel[],
  pid: number,
): Promise<Measured> => {
  const people = ['Ada', 'Bob', 'Eva'].map((name) => discord.user({ name }));
  const saidMs = new Map<string, number>();
  let count = 0;
  const talk = async (seconds: number): Promise<void> => {
    const startMs = performance.now();
    for (let at = 0; at < PER_SECOND * seconds; at += 1) {
      const dueMs = startMs + (at * 1_000) / PER_SECOND;
      if (dueMs > performance.now()) await delay(dueMs - performance.now());
      const channel = channels[count % channels.length];
      const by = people[count % people.length];
      if (!channel || !by) throw new Error('nobody is there');
      count += 1;
      const sent = performance.timeOrigin + performance.now();
      saidMs.set(channel.say(by, `We shall meet at the station, number ${count}`).id, sent);
    }
    await discord.until(() => replies().length >= count, 60_000);
  };
  const replies = (): readonly { readonly body: Record<string, unknown>; readonly at: number }[] =>
    discord.requests.filter(({ route }) => route === 'POST /channels/:id/messages');

  await talk(WARM_UP_SECONDS);
  saidMs.clear();
  const before = { cpu: processorMs(pid), mb: rssMb(pid) };
  const first = count;
  await talk(SECONDS);
  const times = replies().flatMap(({ body, at }) => {
    const reference = body['message_reference'] as { message_id: string } | undefined;
    const sent = saidMs.get(reference?.message_id ?? '');
    return sent === undefined ? [] : [at - sent];
  });
  return {
    ids: new Set(saidMs.keys()),
    p50Ms: quantile(times, 0.5),
    p99Ms: quantile(times, 0.99),
    cpuMs: (processorMs(pid) - before.cpu) / (count - first),
    beforeMb: before.mb,
    afterMb: rssMb(pid),
  };
};

const makeChannels = (discord: DiscordFake) => {
  const guild = discord.guild({ name: 'Babel' });
  const channels = Array.from({ length: CHANNELS }, (_, at) =>
    guild.channel({ name: `room-${at}` }),
  );
  return { guild, channels };
};

/** What the bot itself took for these messages, as it wrote down. */
const ownTimesMs = (file: string, ids: ReadonlySet<string>): number[] =>
  readFileSync(file, 'utf8')
    .split('\n')
    .map((line) => line.split(' ') as [string, string?])
    .filter(([id]) => ids.has(id))
    .map(([, ms]) => Number(ms));

const ours = async (): Promise<Measured & { readonly ownMs: readonly number[] }> => {
  await using bot = await createBot({ limits: 'off' });
  const { guild, channels } = makeChannels(bot.discord);
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
  const file = join(folder, 'own-times');
  await bot.start({
    DISCORD_REQUESTS_PER_SECOND: '10000',
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'own-time.mjs')}`,
    OWN_TIME_FILE: file,
  });
  for (const channel of channels)
    await bot.use({ guild, channel }, 'autotranslate reply', { languages: 'ja' });
  bot.discord.requests.length = 0;
  const measured = await load(bot.discord, channels, bot.pid());
  await delay(1_000);
  const ownMs = ownTimesMs(file, measured.ids);
  rmSync(folder, { recursive: true });
  return { ...measured, ownMs };
};

const common = async (): Promise<Measured> => {
  await using discord = await startDiscordFake({ limits: 'off' });
  await using speech = await startSpeechFake();
  const { channels } = makeChannels(discord);
  const child = spawnCommonBot(discord, speech);
  await discord.online();
  await delay(1_000);
  const measured = await load(discord, channels, child.pid ?? 0);
  child.kill('SIGKILL');
  return measured;
};

const [us, them] = [await ours(), await common()];
const row = (what: string, of: (measured: Measured) => number, unit: string) => ({
  what,
  ours: `${fixed(of(us))} ${unit}`,
  common: `${fixed(of(them))} ${unit}`,
  ratio: fixed(of(us) / of(them)),
});
printTable(`${PER_SECOND} messages a second in ${CHANNELS} channels`, [
  row('one message, median', ({ p50Ms }) => p50Ms, 'ms'),
  row('one message, 99th percentile', ({ p99Ms }) => p99Ms, 'ms'),
  {
    what: 'its own part of it, median and 99th percentile',
    ours: `${fixed(quantile(us.ownMs, 0.5))} and ${fixed(quantile(us.ownMs, 0.99))} ms`,
    common: '',
    ratio: '',
  },
  row('processor time of the bot for one message', ({ cpuMs: ms }) => ms, 'ms'),
  row('memory of the bot after', ({ afterMb }) => afterMb, 'MB'),
  row('growth of it meanwhile', ({ beforeMb, afterMb }) => afterMb - beforeMb, 'MB'),
]);
process.exit();
