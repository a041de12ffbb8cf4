import { setTimeout as delay } from 'node:timers/promises';
import { outcomesIn } from '../test/fakes/conversation.ts';
import { createSlackProcess, startSlackConversation } from '../test/fakes/slack-bot.ts';
import { printTable } from './measure.ts';

/**
 * A program on Slack that is killed while people talk, with each event delivered three times and in
 * any order: what is lost, and what is answered twice. `node bench/slack-kill.ts 10` kills ten times.
 */

const KILLS = Number(process.argv[2] ?? 100);
/** Two channels in turn: each may get one post a second. */
const LINE_EVERY_MS = 600;
const LONGEST_LIFE_MS = 3_000;
const ANSWERED_MS = 600_000;
/** Retries of events come so many times sooner than Slack's; posts keep to one a second. */
const SPEED = 60;

const bot = await createSlackProcess({ speed: SPEED });
await bot.start();
const conversation = await startSlackConversation(bot);
bot.slack.events.disturb({ copies: 3, jitterMs: 500 });
const stopped = new AbortController();
const talk = async (): Promise<void> => {
  while (!stopped.signal.aborted) {
    conversation.say();
    await delay(LINE_EVERY_MS);
  }
};
const talking = talk();
for (let kill = 0; kill < KILLS; kill += 1) {
  await delay(Math.random() * LONGEST_LIFE_MS);
  await bot.kill();
  await bot.start();
  if (kill % 20 === 19) console.log(`${kill + 1} kills, ${conversation.lines} lines`);
}
stopped.abort();
await talking;
const late = await conversation.answered(ANSWERED_MS).then(
  () => [],
  (fault: Error) => [fault.message],
);
await bot.slack.events.settled();
const pings = bot.slack.pings.map(({ who }) => `a ping of ${who}`);
const lost = bot.slack.events.log.filter((record) => record.lost).length;
const faults = [...conversation.faults(), ...pings, ...late];
printTable(`${KILLS} kills on Slack`, [
  {
    what: 'lines lost or answered twice',
    ours: faults.length === 0 ? `none of ${conversation.lines}` : faults.join('; '),
    common: '–',
    ratio: '–',
  },
  { what: 'events that Slack gave up', ours: String(lost), common: '–', ratio: '–' },
  { what: 'outcomes', ours: JSON.stringify(outcomesIn(bot.databaseFile)), common: '–', ratio: '–' },
]);
await bot[Symbol.asyncDispose]();
process.exit(faults.length === 0 ? 0 : 1);
