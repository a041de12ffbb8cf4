import { setTimeout as delay } from 'node:timers/promises';
import { createBot } from '../test/fakes/bot.ts';
import { outcomesIn, startConversation } from '../test/fakes/conversation.ts';
import { printTable } from './measure.ts';

/** A program that is killed 200 times while people talk: what is lost, and what comes twice. */

const KILLS = 200;
const LONGEST_LIFE_MS = 800;
const ANSWERED_MS = 120_000;

const bot = await createBot({ speed: 50 });
await bot.start();
const conversation = await startConversation(bot);
const stopped = new AbortController();
const talking = conversation.talk(100, stopped.signal);
for (let kill = 0; kill < KILLS; kill += 1) {
  await delay(Math.random() * LONGEST_LIFE_MS);
  await bot.kill();
  await bot.start();
  if (kill % 20 === 19) console.log(`${kill + 1} kills, ${conversation.lines} lines`);
}
stopped.abort();
await talking;
const late = await conversation.answered(ANSWERED_MS).then(
  () => '',
  (fault: Error) => fault.message,
);
await delay(2_000);
const faults = [...conversation.faults(), ...bot.discord.pings.map(() => 'a ping'), late]
  .filter((fault) => fault !== '')
  .join('; ');
printTable(`${KILLS} kills`, [
  {
    what: 'lines lost, answered twice or out of order',
    ours: faults === '' ? `none of ${conversation.lines}` : faults,
    common: '–',
    ratio: '–',
  },
  {
    what: 'outcomes',
    ours: JSON.stringify(outcomesIn(bot.databaseFile)),
    common: '–',
    ratio: '–',
  },
]);
await bot[Symbol.asyncDispose]();
process.exit(faults === '' ? 0 : 1);
