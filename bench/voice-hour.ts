import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { numberedSpeech } from '../test/fakes/numbered-speech.ts';
import { fixed } from './measure.ts';
import type { Mark } from './voice/room-hour.ts';
import { openStage } from './voice/harness.ts';
import {
  describeHandles,
  readVitals,
  slopeOf,
  VITALS_MODULE,
  type Vitals,
} from './voice/vitals.ts';

/**
 * An hour of twenty people: what grows, and what is left over. First the room alone on a faster clock;
 * then the whole program, with people who send their packets twenty times as fast; then rooms that are
 * joined and left.
 *
 *     node bench/voice-hour.ts [MINUTES]
 */

const MINUTES = Number(process.argv[2] ?? 60);
const SAMPLE_MINUTES = 5;
const SPEAKERS = 20;
const SPEED = 20;
const WORDS = 12;
const PAUSE_MS = 3_000;
const JOINS = 30;

const folder = mkdtempSync(join(tmpdir(), 'dragoman-bench-'));

const row = (what: string, { heapMb, externalMb, rssMb, timers, instances, ...rest }: Vitals) =>
  console.log(
    `| ${what} | ${fixed(heapMb, 1)} | ${fixed(externalMb, 1)} | ${fixed(rssMb, 0)} | ${timers} | ${instances} | ${describeHandles(rest as Vitals)} | ${fixed(rest.p99Ms, 1)} |`,
  );
const heading = (title: string): void => {
  console.log(`\n### ${title}\n`);
  console.log(
    '| when | heap MB | external MB | process MB | timers | wasm | handles | loop p99 ms |',
  );
  console.log('|---|---|---|---|---|---|---|---|');
};
const slopes = (samples: readonly Vitals[], anHour: number): void => {
  if (samples.length < 2) return;
  const of = (value: (vitals: Vitals) => number): string =>
    fixed(slopeOf(samples.map(value)) * anHour, 2);
  console.log(
    `\ngrowth an hour: heap ${of(({ heapMb }) => heapMb)} MB, external ${of(({ externalMb }) => externalMb)} MB, process ${of(({ rssMb }) => rssMb)} MB`,
  );
};

const roomAlone = async (): Promise<void> => {
  heading(`${MINUTES} min of ${SPEAKERS} people in a room`);
  const file = join(folder, 'room');
  const child = spawn(
    process.execPath,
    [`--import=${VITALS_MODULE}`, join(import.meta.dirname, 'voice/room-hour.ts'), `${MINUTES}`],
    { env: { ...process.env, VITALS_FILE: file }, stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const ended = once(child, 'exit');
  const samples: Vitals[] = [];
  for await (const line of createInterface(child.stdout)) {
    const mark = line as Mark;
    const minute = Number(/\d+/.exec(mark)?.[0] ?? 0);
    if (minute % SAMPLE_MINUTES === 0) {
      const vitals = await readVitals(child.pid!, file);
      row(mark, vitals);
      if (minute > 0) samples.push(vitals);
    }
    child.stdin.write('\n');
  }
  await ended;
  slopes(samples.slice(samples.length / 2), 60 / SAMPLE_MINUTES);
};

const wholeProgram = async (): Promise<void> => {
  const file = join(folder, 'program');
  await using stage = await openStage({
    NODE_OPTIONS: `--import=${VITALS_MODULE}`,
    VITALS_FILE: file,
  });
  const { bot, lounge } = stage;
  const vitals = (): Promise<Vitals> => readVitals(bot.pid(), file);
  const users = Array.from({ length: SPEAKERS }, (_, at) => stage.user(`Person ${at}`));
  const people = users.map((user) => lounge.join(user));

  heading(
    `${MINUTES} min of ${SPEAKERS} people, ${SPEED} times as fast, through the whole program`,
  );
  row('joined by nobody', await vitals());
  await stage.caption(users[0]!);
  await stage.group().whenSettled();
  const stopped = AbortSignal.timeout((MINUTES * 60_000) / SPEED);
  let sent = 0;
  const talking = Promise.all(
    people.map(async (person, at) => {
      for (let utterance = 0; !stopped.aborted; utterance = (utterance + 1) % 65_536) {
        const spoken = await person.speak(numberedSpeech(at, utterance, WORDS), { speed: SPEED });
        sent += spoken.sent;
        await person.silence(PAUSE_MS * (0.5 + Math.random()), SPEED);
      }
    }),
  );
  const samples: Vitals[] = [];
  for (let at = 1; !stopped.aborted; at += 1) {
    await delay((SAMPLE_MINUTES * 60_000) / SPEED);
    samples.push(await vitals());
    row(`minute ${at * SAMPLE_MINUTES}, ${sent} packets`, samples.at(-1)!);
    // What the fakes keep for tests.
    (bot.speech.seen as unknown[]).length = 0;
    bot.discord.requests.length = 0;
  }
  await talking;
  slopes(samples.slice(1), 60 / SAMPLE_MINUTES);
  await bot.use({ guild: stage.guild, channel: lounge }, 'leave');
  await delay(15_000);
  row('left', await vitals());

  heading(`a room is joined, captioned and left ${JOINS} times`);
  const joins: Vitals[] = [];
  for (let time = 1; time <= JOINS; time += 1) {
    await stage.caption(users[0]!, { languages: 'es' });
    await stage.group().whenSettled();
    const [ann, bob] = people;
    await Promise.all([
      ann!.speak(numberedSpeech(0, time, WORDS), { speed: SPEED }),
      bob!.speak(numberedSpeech(1, time, WORDS), { speed: SPEED }),
    ]);
    await lounge.until((all) => all.some(({ content }) => content.includes(`B${time}X0`)));
    await bot.use({ guild: stage.guild, channel: lounge }, 'leave');
    if (time % 5 !== 0) continue;
    joins.push(await vitals());
    row(`${time} times`, joins.at(-1)!);
  }
  console.log(
    `\ngrowth a join: heap ${fixed(slopeOf(joins.slice(1).map(({ heapMb }) => heapMb)) / 5, 3)} MB`,
  );
};

await roomAlone();
await wholeProgram();
rmSync(folder, { recursive: true });
process.exit();
