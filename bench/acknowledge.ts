import { createBot } from '../test/fakes/bot.ts';
import { PATHS } from '../src/api/contract.ts';
import { fixed, printTable, quantile } from './measure.ts';

/**
 * How long people wait for the first sign of an answer, and for choices while they type, while the
 * speech service takes requests and never answers: counted by Discord's side of the wire.
 */

const USES = 300;
/** What asks the service, and what does not. */
const COMMANDS: readonly (readonly [string, Record<string, string>])[] = [
  ['translate', { text: 'Where do we meet?', to: 'ja' }],
  ['say', { text: 'Good morning' }],
  ['voices', {}],
  ['status', {}],
];
const TYPED: readonly (readonly [string, string, Record<string, string>])[] = [
  ['translate', 'to', { text: 'x', to: 'jap' }],
  ['voice', 'voice', { voice: 'ad' }],
  ['glossary remove', 'term', { term: 'p' }],
];

await using bot = await createBot({ limits: 'off' });
const { discord, speech } = bot;
const guild = discord.guild({ name: 'Babel' });
const channel = guild.channel({ name: 'general' });
await bot.start({ DISCORD_REQUESTS_PER_SECOND: '10000' });
await bot.use({ guild, channel }, 'glossary add', { term: 'Pipe Organ' });
for (const path of Object.values(PATHS))
  speech.fail(path, ...Array.from({ length: 10 * USES }, () => ({ hang: true }) as const));

const acknowledged: number[] = [];
const completed: number[] = [];
for (let use = 0; use < USES; use += 1) {
  const [name, options] = COMMANDS[use % COMMANDS.length] ?? ['', {}];
  const answer = discord.command(guild.owner, { channel, name, options });
  const [typedName, focused, typed] = TYPED[use % TYPED.length] ?? ['', '', {}];
  const startMs = performance.now();
  await discord.autocomplete(guild.owner, { channel, name: typedName, options: typed, focused });
  completed.push(performance.now() - startMs);
  await answer.until((it) => it.acknowledged);
  acknowledged.push(answer.acknowledgedAfterRealMs ?? Number.NaN);
}

const row = (what: string, values: readonly number[], limitMs: number) => ({
  what,
  ours: `${fixed(quantile(values, 0.5))} / ${fixed(quantile(values, 0.99))} ms`,
  common: `${limitMs} ms`,
  ratio: fixed(quantile(values, 0.99) / limitMs),
});
printTable('While the service hangs: median / 99th percentile, against what is allowed', [
  row('first sign of an answer', acknowledged, 500),
  row('choices while typing', completed, 300),
]);
await bot[Symbol.asyncDispose]();
process.exit();
