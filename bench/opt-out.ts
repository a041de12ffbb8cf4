import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { FakeChannel, FakeMessage, FakeUser } from '../test/fakes/discord/index.ts';
import { guildsOfShards } from '../test/fakes/discord/shard-of.ts';
import { sentence } from '../test/fakes/sentences.ts';
import { fixed, quantile } from './measure.ts';
import { startPrograms } from './programs.ts';

/**
 * People who opt out by a command that one process answers, and write a millisecond after the answer in a channel
 * whose events another process gets: what is translated all the same. Then they opt in again, and the next message
 * has to be translated. `node bench/opt-out.ts 500` does it 500 times, not 10,000.
 */

const [ROUNDS = 10_000, PEOPLE = 24] = process.argv.slice(2).map(Number);
const PROCESSES = ['p0', 'p1', 'p2'];
const SHARDS = 6;
const WAIT_MS = 1;
/** Rounds of one person alone, before all others begin. */
const ALONE = Math.ceil(ROUNDS / 50);
/** Time between two looks at what became of messages. */
const LOOK_MS = 10;
const TELL_EVERY = 1_000;
/** Longest wait for the translation of who takes part. */
const PATIENCE_MS = 20_000;
/** Time for what is posted late. */
const AFTER_MS = 5_000;

const OUT = sentence('privacy.is-out');
const IN = sentence('privacy.is-in');

await using programs = await startPrograms({
  limits: 'off',
  shards: SHARDS,
  maxConcurrency: SHARDS,
});
const { discord, speech } = programs;
const guilds = guildsOfShards(discord, SHARDS);
for (const name of PROCESSES) programs.start(name);
await programs.shared(SHARDS, PROCESSES);

/** Messages that have a reply, and the numbers of those that the service got after an opt-out. */
const answered = new Set<string>();
const sent = new Set<number>();
speech.translate = (text, { target_lang }) => `${target_lang}:${text}`;
const readRequests = (): void => {
  for (const { route, body } of discord.requests.splice(0)) {
    const source = body['message_reference'] as { readonly message_id?: string } | undefined;
    if (route === 'POST /channels/:id/messages' && source?.message_id !== undefined)
      answered.add(source.message_id);
  }
  for (const { form, json } of (speech.seen as (typeof speech.seen)[number][]).splice(0)) {
    const number = /after (?<number>\d+)/.exec(JSON.stringify([form, json]))?.groups?.['number'];
    if (number !== undefined) sent.add(Number(number));
  }
};

const database = new pg.Client({ connectionString: programs.databaseUrl });
database.on('error', () => undefined);
await database.connect();
/** Who waits for the outcome of a message. */
const open = new Map<string, (outcome: string) => void>();
const outcomeOf = async (id: string): Promise<string> =>
  new Promise((resolve) => {
    open.set(id, resolve);
  });
const looked = new AbortController();
const look = async (): Promise<void> => {
  while (!looked.signal.aborted) {
    const { rows } = await database.query<{ id: string; outcome: string }>(
      `SELECT message_id AS id, coalesce(reason, state) AS outcome FROM inbox
       WHERE message_id = ANY($1) AND state <> 'waiting'`,
      [[...open.keys()]],
    );
    for (const { id, outcome } of rows) {
      open.get(id)?.(outcome);
      open.delete(id);
    }
    await delay(LOOK_MS);
  }
};

interface Person {
  readonly user: FakeUser;
  readonly home: number;
  readonly away: number;
  readonly channel: FakeChannel;
  readonly panel: FakeMessage;
}

const movePerson = async (at: number): Promise<Person> => {
  const user = discord.user({ name: `Person ${at}` });
  const home = at % SHARDS;
  const others = guilds.keys().filter((id) => programs.ownerOf(id) !== programs.ownerOf(home));
  const candidates = [...others];
  const away = candidates[Math.floor(at / SHARDS) % candidates.length]!;
  const guild = guilds[away]!;
  const channel = guild.channel({ name: `room-${at}` });
  const watching = discord.command(guild.owner, {
    channel,
    name: 'autotranslate reply',
    options: { languages: 'es' },
  });
  await watching.answer();
  const asked = discord.command(user, {
    channel: guilds[home]!.channel({ name: `office-${at}` }),
    name: 'privacy',
  });
  return { user, home, away, channel, panel: await asked.answer() };
};

const distancesMs: number[] = [];
/** Times to the answer of an opt-out: of one person alone, and of all of them. */
const aloneMs: number[] = [];
const answersMs: number[] = [];
const outcomes = new Map<string, number>();
const violations: number[] = [];
let translated = 0;
let sameProcess = 0;
let begun = 0;

/** Presses a button of the panel; resolves once the platform has the answer, right after `known`. */
const choose = async (
  { user, panel }: Person,
  what: 'in' | 'out',
  known: (atMs: number) => void = () => undefined,
): Promise<void> => {
  const shows = what === 'out' ? OUT : IN;
  let isKnown = false;
  discord.press(user, panel, `privacy ${what}`);
  await discord.until(() => {
    if (isKnown || !panel.content.includes(shows)) return isKnown;
    isKnown = true;
    known(performance.now());
    return true;
  });
};

/** Stands still: a timer would come later in a busy process. */
const stand = (untilMs: number): void => {
  while (performance.now() < untilMs);
};

const take = async (person: Person, round: number): Promise<void> => {
  const { user, channel, home, away } = person;
  const before = channel.say(user, `We shall meet at the old station, this is before ${round}`);
  try {
    await discord.until(() => {
      readRequests();
      return answered.has(before.id);
    }, PATIENCE_MS);
    translated += 1;
  } catch {
    console.log(`round ${round}: who takes part again is not translated`);
  }
  if (programs.ownerOf(home) === programs.ownerOf(away)) sameProcess += 1;
  const askedMs = performance.now();
  const said = Promise.withResolvers<FakeMessage>();
  await choose(person, 'out', (atMs) => {
    (round <= ALONE ? aloneMs : answersMs).push(atMs - askedMs);
    stand(atMs + WAIT_MS);
    distancesMs.push(performance.now() - atMs);
    said.resolve(channel.say(user, `Nobody shall translate this line, this is after ${round}`));
  });
  const { id } = await said.promise;
  const outcome = await outcomeOf(id);
  outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
  readRequests();
  if (answered.has(id) || sent.has(round) || outcome !== 'opted-out') violations.push(round);
  await choose(person, 'in');
};

const looking = look();
const people = await Promise.all(Array.from({ length: PEOPLE }, (_, at) => movePerson(at)));
const startMs = performance.now();
const live = async (person: Person, rounds: number): Promise<void> => {
  while (begun < rounds) {
    begun += 1;
    if (begun % TELL_EVERY === 0)
      console.log(
        `${begun} rounds, ${violations.length} translated, ${fixed((performance.now() - startMs) / 1_000, 0)} s`,
      );
    await take(person, begun);
  }
};
await live(people[0]!, ALONE);
await Promise.all(people.map((person) => live(person, ROUNDS)));
const takenS = (performance.now() - startMs) / 1_000;
looked.abort();
await looking;
await delay(AFTER_MS);
readRequests();
for (const number of sent) if (!violations.includes(number)) violations.push(number);
await database.end();

const shown = (ms: readonly number[], digits: number): string =>
  [quantile(ms, 0.5), quantile(ms, 0.99), Math.max(...ms)]
    .map((value) => fixed(value, digits))
    .join(' / ');
console.log(`
### ${ROUNDS} opt-outs, ${PROCESSES.length} processes, ${PEOPLE} people at once, ${fixed(takenS, 0)} s

| what | count |
|---|---|
| translated although opted out, or sent to the service | ${violations.length} |
| outcomes of these messages | ${[...outcomes].map(([what, count]) => `${count} ${what}`).join(', ')} |
| heard by the process that had answered | ${sameProcess} |
| messages before, and after opting in again, that were translated | ${translated} |
| press to answer, one person alone: median / 99th percentile / longest | ${shown(aloneMs, 0)} ms |
| press to answer, all of them | ${shown(answersMs, 0)} ms |
| answer to message, median / 99th percentile / longest | ${shown(distancesMs, 1)} ms |`);
const isGood = violations.length === 0 && sameProcess === 0 && translated === ROUNDS;
await programs[Symbol.asyncDispose]();
process.exit(isGood ? 0 : 1);
