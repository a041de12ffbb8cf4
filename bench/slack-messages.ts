import { sayGenerated } from '../test/slack/generated.ts';
import { printTable } from './measure.ts';

/**
 * Generated messages through the whole bot, from a channel of Slack into one of another workspace and
 * one of Discord, translated by a service that is careless with every third text: what is lost of their
 * links, mentions, emoji, lists, quotes, code and dates, and who is notified.
 * `node bench/slack-messages.ts 500 7` says 500 of seed 7.
 */

const [COUNT = 10_000, SEED = 1] = process.argv.slice(2).map(Number);
/** Faults that are shown whole. */
const MOST_SHOWN = 10;
const TELL_EVERY = 1_000;

const startMs = performance.now();
let told = 0;
const { faults, pings, kept } = await sayGenerated({
  count: COUNT,
  seed: SEED,
  onLook: (said, mirrored) => {
    if (mirrored - told < TELL_EVERY) return;
    told = mirrored;
    console.log(`${said} said, ${mirrored} mirrored`);
  },
});
for (const fault of faults.slice(0, MOST_SHOWN)) console.log(fault);
for (const ping of pings.slice(0, MOST_SHOWN)) console.log(ping);
const kinds = Map.groupBy(
  faults.flatMap(({ where, missing }) =>
    missing ? missing.map(({ kind }) => `${where}: ${kind}`) : [`${where}: message`],
  ),
  (kind) => kind,
);
const row = (what: string, ours: string) => ({ what, ours, common: '–', ratio: '–' });
printTable(`${COUNT} messages from Slack, seed ${SEED}`, [
  row('parts that must be seen, in each target', String(kept)),
  row(
    'lost',
    kinds.size === 0 ? 'none' : [...kinds].map(([kind, all]) => `${all.length} ${kind}`).join(', '),
  ),
  row('pings', String(pings.length)),
  row('time', `${Math.round((performance.now() - startMs) / 1_000)} s`),
]);
process.exit(faults.length + pings.length === 0 ? 0 : 1);
