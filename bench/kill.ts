import { setTimeout as delay } from 'node:timers/promises';
import { createBot } from '../test/fakes/bot.ts';
import { outcomesIn, startConversation, type Conversation } from '../test/fakes/conversation.ts';
import { fixed, printTable } from './measure.ts';

/**
 * A program that is killed 60 times while people write 3,000 messages in five channels, at Discord's
 * own limits and in real time: what is lost, what comes twice, and how soon the backlog is gone,
 * compared with the soonest that the limits allow. `node bench/kill.ts 300 6` is a tenth of it.
 */

const [MESSAGES = 3_000, KILLS = 60] = process.argv.slice(2).map(Number);
const PER_SECOND = 10;
const CHANNELS = 5;
/** Time between two looks at what stands. */
const LOOK_MS = 500;
/** Longest time between a start and the next kill. */
const LONGEST_LIFE_MS = 8_000;
/** Every so many kills the gateway drops the connection, or forgets the session, too. */
const DROP_EVERY = 3;
const INVALIDATE_EVERY = 10;
/** Longest time in which the backlog may be gone, in multiples of what the limits allow. */
const MOST = 1.5;
/** Time for what is posted twice, late. */
const AFTER_MS = 15_000;

/** Discord's limit of the bot's posts in a channel, and the characters that one of them holds. */
const POSTS = { count: 5, windowMs: 5_000 };
const POST_CHARS = 2_000;

/** The shortest time in which the limits let so many posts through in one channel. */
const leastMsOf = (posts: number): number =>
  Math.max((MESSAGES * 1_000) / PER_SECOND, (Math.ceil(posts / POSTS.count) - 1) * POSTS.windowMs);

const seconds = (ms: number): string => `${fixed(ms / 1_000, 0)} s`;

const shown = (faults: ReturnType<Conversation['faults']>): string =>
  faults.map(({ place, what, count }) => `${place}: ${count} ${what}`).join('; ');

const bot = await createBot();
await bot.start();
const conversation = await startConversation(bot);
const { gateway, requests } = bot.discord;
const startMs = performance.now();
const stopped = new AbortController();
const talking = conversation.talk(1_000 / PER_SECOND, stopped.signal, MESSAGES);

/** Time at which something was last wrong in each place, in ms since the start. */
const doneMs = new Map(conversation.places().map(({ name }) => [name, 0]));
const isDone = (): boolean => {
  const atMs = performance.now() - startMs;
  const wrong = conversation.faults();
  for (const { place } of wrong) doneMs.set(place, atMs);
  return wrong.length === 0;
};
const looking = setInterval(isDone, LOOK_MS);

const startedMs: number[] = [];
for (let kill = 1; kill <= KILLS; kill += 1) {
  await delay(Math.random() * LONGEST_LIFE_MS);
  if (kill % DROP_EVERY === 0) gateway.drop();
  if (kill % INVALIDATE_EVERY === 0) gateway.invalidate();
  if (kill % DROP_EVERY === 0) await delay(Math.random() * LONGEST_LIFE_MS);
  const killedMs = performance.now();
  await bot.kill();
  await bot.start();
  startedMs.push(performance.now() - killedMs);
  if (kill % 10 === 0) {
    const { posted = 0, ...others } = outcomesIn(bot.databaseFile);
    const at = seconds(performance.now() - startMs);
    console.log(`${at}: ${kill} kills, ${conversation.lines} lines, ${posted} posted`, others);
  }
}
await talking;

const giveUpMs = startMs + 3 * leastMsOf(MESSAGES / CHANNELS);
clearInterval(looking);
for (let look = 1; !isDone() && performance.now() < giveUpMs; look += 1) {
  if (look % 60 === 0)
    console.log(seconds(performance.now() - startMs), shown(conversation.faults()));
  await delay(LOOK_MS);
}
const open = outcomesIn(bot.databaseFile);
await delay(AFTER_MS);

const wrong = [...conversation.faults(), ...bot.discord.pings.map(() => 'a ping')];
const tooMany = requests.filter(({ status }) => status === 429);
const { lines, changed, deleted } = conversation;
const row = (what: string, ours: string) => ({ what, ours, common: '–', ratio: '–' });
const places = conversation.places().map(({ name, kind, messages }) => {
  const chars = messages.reduce((sum, { content }) => sum + content.length, 0);
  const least = kind === 'replies' ? messages.length : Math.ceil(chars / POST_CHARS);
  return {
    name,
    messages: messages.length,
    takenMs: doneMs.get(name) ?? 0,
    leastMs: leastMsOf(least),
  };
});
const takenMs = Math.max(...places.map((place) => place.takenMs));
const leastMs = Math.max(...places.map((place) => place.leastMs));
printTable(`${KILLS} kills, ${lines} messages, ${changed} changed, ${deleted} deleted`, [
  row(
    'lost, twice, old or out of order',
    wrong.length === 0 ? 'none' : shown(conversation.faults()),
  ),
  row('rows of the inbox', JSON.stringify(open)),
  ...places.map((place) => ({
    what: `${place.name}: all is there, in ${place.messages} messages`,
    ours: seconds(place.takenMs),
    common: `${seconds(place.leastMs)}: what the limits allow`,
    ratio: fixed(place.takenMs / place.leastMs),
  })),
  row('kill to connected, mean', seconds(startedMs.reduce((a, b) => a + b, 0) / KILLS)),
  row('identifies, resumes', `${gateway.identifies}, ${gateway.resumes}`),
  row('answers of 429', String(tooMany.length)),
]);
await bot[Symbol.asyncDispose]();
process.exit(wrong.length === 0 && takenMs <= MOST * leastMs ? 0 : 1);
