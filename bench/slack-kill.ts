import { setTimeout as delay } from 'node:timers/promises';
import { outcomesIn } from '../test/fakes/conversation.ts';
import { createSlackProcess } from '../test/fakes/slack-bot.ts';
import { startSlackConversation } from '../test/fakes/slack-conversation.ts';
import { printTable } from './measure.ts';

/**
 * A program on Slack that is killed 100 times while people write, change and delete lines, with each
 * event delivered three times and in any order, and answers to posts lost: what is lost, what comes
 * twice. `node bench/slack-kill.ts 10` kills ten times; `node bench/slack-kill.ts 10 blind` does so where
 * the app may not read the history, so that a post whose answer was lost has to be made again.
 */

const KILLS = Number(process.argv[2] ?? 100);
const IS_BLIND = process.argv[3] === 'blind';
/** Two channels in turn: each may get one post a second. */
const LINE_EVERY_MS = 600;
const LONGEST_LIFE_MS = 3_000;
const SETTLED_MS = 1_500_000;
/** Retries of events come so many times sooner than Slack's; posts keep to one a second. */
const SPEED = 60;
/** The answer to every so manieth post is lost. */
const LOST_EVERY = 25;

const bot = await createSlackProcess({ speed: SPEED });
await bot.start();
const conversation = await startSlackConversation(bot);
bot.slack.events.disturb({ copies: 3, jitterMs: 500 });
let posts = 0;
let answersLost = 0;
bot.slack.fail(
  'chat.postMessage',
  { reset: 'after' },
  {
    while: () => {
      posts += 1;
      const isLost = posts % LOST_EVERY === 0;
      if (isLost) answersLost += 1;
      return isLost;
    },
  },
);
if (IS_BLIND)
  for (const method of ['conversations.history', 'conversations.replies'])
    bot.slack.fail(method, { error: 'missing_scope' }, { while: () => true });

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
const late = await conversation.settled(IS_BLIND ? SETTLED_MS / 10 : SETTLED_MS).then(
  () => [],
  (fault: Error) => [fault.message],
);
await bot.slack.events.settled();
const pings = bot.slack.pings.map(({ who }) => `a ping of ${who}`);
const lost = bot.slack.events.log.filter((record) => record.lost).length;
const faults = [...conversation.faults(), ...pings, ...late];
const row = (what: string, ours: string) => ({ what, ours, common: '–', ratio: '–' });
const { lines, changed, deleted } = conversation;
printTable(`${KILLS} kills on Slack, ${lines} lines, ${changed} changed, ${deleted} deleted`, [
  row('lost, twice, old or left', faults.length === 0 ? 'none' : faults.join('; ')),
  row('of these, twice', String(conversation.doubled())),
  row('answers to posts that were lost', `${answersLost} of ${posts}`),
  row('events that Slack gave up', String(lost)),
  row('rows of the inbox', JSON.stringify(outcomesIn(bot.databaseFile))),
]);
await bot[Symbol.asyncDispose]();
process.exit(faults.length === 0 ? 0 : 1);
