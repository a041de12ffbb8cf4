import { readFileSync, rmSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createBot } from '../test/fakes/bot.ts';
import { fixed, printTable } from './measure.ts';

/**
 * Memory of the program on Discord, in a process of its own: at rest, and while 90 messages a second
 * are translated in 100 channels for a minute. Discord and the service are in this process.
 */

const CHANNELS = 100;
const PER_SECOND = 90;
const SECONDS = 60;
const REST_MS = 10_000;
const LOOK_MS = 100;
const MB = 1_048_576;

/** Parts of `process.memoryUsage()` of the bot, as `memory-usage.mjs` writes it down each time it is asked. */
interface Usage {
  readonly heapTotal: number;
  readonly heapUsed: number;
  readonly external: number;
  readonly arrayBuffers: number;
  /** Processor time since the start, in microseconds. */
  readonly cpuUs: number;
}

const rssMb = (pid: number): number => {
  const line = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) / 1_024;
};

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));
const file = join(folder, 'usage');
await using bot = await createBot({ limits: 'off' });
const guild = bot.discord.guild({ name: 'Babel' });
const channels = Array.from({ length: CHANNELS }, (_, index) =>
  guild.channel({ name: `room-${index}` }),
);
await bot.start({
  DISCORD_REQUESTS_PER_SECOND: '10000',
  NODE_OPTIONS: `--import=${join(import.meta.dirname, 'memory-usage.mjs')}`,
  USAGE_FILE: file,
});

const usageNow = async (): Promise<Usage> => {
  process.kill(bot.pid(), 'SIGUSR2');
  await delay(1_000);
  return JSON.parse(readFileSync(file, 'utf8')) as Usage;
};
const shown = ({ heapUsed, heapTotal, external, arrayBuffers }: Usage): string =>
  [
    `${fixed(heapUsed / MB, 0)} of ${fixed(heapTotal / MB, 0)} MB heap`,
    `${fixed(external / MB, 0)} MB external (${fixed(arrayBuffers / MB, 0)} MB buffers)`,
  ].join(', ');

await delay(REST_MS);
const restMb = rssMb(bot.pid());
const rest = await usageNow();

for (const channel of channels)
  await bot.use({ guild, channel }, 'autotranslate reply', { languages: 'ja' });
const ann = bot.discord.user({ name: 'Ann' });
const startMs = performance.now();
let peakMb = 0;
const looking = setInterval(() => {
  peakMb = Math.max(peakMb, rssMb(bot.pid()));
}, LOOK_MS);
for (let count = 0; count < PER_SECOND * SECONDS; count += 1) {
  channels[count % CHANNELS]?.say(
    ann,
    `This is message ${count} of a busy evening, in which much is said`,
  );
  const dueMs = startMs + ((count + 1) * 1_000) / PER_SECOND;
  if (dueMs > performance.now()) await delay(dueMs - performance.now());
}
const busy = await usageNow();
clearInterval(looking);
await delay(REST_MS);
const afterMb = rssMb(bot.pid());
const after = await usageNow();

const row = (what: string, mb: number, of: string) => ({
  what,
  ours: `${fixed(mb, 0)} MB`,
  common: of,
  ratio: '–',
});
printTable(`Memory on Discord, ${PER_SECOND} messages a second in ${CHANNELS} channels`, [
  row('at rest', restMb, shown(rest)),
  row('peak', peakMb, shown(busy)),
  row('ten seconds later', afterMb, shown(after)),
  {
    what: 'processor time of a message',
    ours: `${fixed((busy.cpuUs - rest.cpuUs) / 1_000 / (PER_SECOND * SECONDS))} ms`,
    common: '–',
    ratio: '–',
  },
]);
rmSync(folder, { recursive: true });
await bot[Symbol.asyncDispose]();
process.exit();
