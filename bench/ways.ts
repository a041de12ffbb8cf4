import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PATHS } from '../src/api/contract.ts';
import { createBot } from '../test/fakes/bot.ts';
import { numberedSpeech } from '../test/fakes/numbered-speech.ts';
import { startServerProgram } from '../test/fakes/server-program.ts';
import { createSlackProcess } from '../test/fakes/slack-bot.ts';
import { openStage } from './voice/harness.ts';

/**
 * How many files of the project run for one event, and how many lines they have: V8's coverage of the whole
 * program around the second of two equal events. `node bench/ways.ts files` names them.
 */

/** The last effects of an event, such as a row that is settled, come after what people see. */
const SETTLED_MS = 1_500;
/** In its first seconds, a program prepares the page's modules. */
const PREPARED_MS = 6_000;
/** Of ten packets each. */
const WORDS = 6;

const namesFiles = process.argv[2] === 'files';
const folder = mkdtempSync(join(tmpdir(), 'dragoman-ways-'));
let programs = 0;

interface Covered {
  readonly environment: Record<string, string>;
  /** The files that have run since it was asked last. */
  readonly take: () => Promise<readonly string[]>;
}

const coverProgram = (): Covered => {
  programs += 1;
  const file = join(folder, `${programs}.jsonl`);
  const lines = (): string[] => readFileSync(file, 'utf8').trimEnd().split('\n');
  return {
    environment: {
      COVERAGE_FILE: file,
      NODE_OPTIONS: `--import=${join(import.meta.dirname, 'ways/coverage.mjs')}`,
    },
    take: async () => {
      const { length, 0: pid } = lines();
      process.kill(Number(pid), 'SIGUSR2');
      while (lines().length === length) await delay(50);
      return JSON.parse(lines().at(-1)!) as string[];
    },
  };
};

const roomOf = (file: string): string => {
  const [top = '', room = ''] = file.split('/');
  return top === 'src' ? room : top;
};

const report = (what: string, files: readonly string[]): void => {
  const lines = files.reduce((sum, file) => sum + readFileSync(file, 'utf8').split('\n').length, 0);
  const rooms = Map.groupBy(files, roomOf);
  const byRoom = [...rooms].toSorted(([, a], [, b]) => b.length - a.length);
  const shown = byRoom.map(([room, { length }]) => `${room} ${length}`).join(', ');
  console.log(`| ${what} | ${files.length} | ${lines} | ${shown} |`);
  if (namesFiles)
    console.log(
      files
        .toSorted()
        .map((file) => `  ${file}`)
        .join('\n'),
    );
};

/** Does the same twice, and reports the second time. */
const measure = async (
  what: string,
  { take }: Covered,
  event: (time: number) => Promise<void>,
): Promise<void> => {
  await event(1);
  await delay(PREPARED_MS);
  await take();
  await event(2);
  await delay(SETTLED_MS);
  report(what, await take());
};

const onDiscord = async (): Promise<void> => {
  const covered = coverProgram();
  await using bot = await createBot({ limits: 'off' });
  const { discord } = bot;
  const guild = discord.guild({ name: 'Babel' });
  const [replied, english, spanish, japanese] = ['general', 'english', 'español', '日本語'].map(
    (name) => guild.channel({ name }),
  ) as [Channel, Channel, Channel, Channel];
  const ann = discord.user({ name: 'Ann' });
  guild.join(ann);
  await bot.start(covered.environment);
  await bot.use({ guild, channel: replied }, 'autotranslate reply', { languages: 'es' });
  const channels = `<#${english.id}> en, <#${spanish.id}> es, <#${japanese.id}> ja`;
  await bot.use({ guild, channel: replied }, 'autotranslate mirror', { channels });
  await measure('Discord message → reply', covered, async (time) => {
    const before = replied.messages.length;
    replied.say(ann, `Where do we meet tomorrow, number ${time}?`);
    await replied.until((messages) => messages.length === before + 2);
  });
  await measure('Discord message → two linked channels', covered, async (time) => {
    english.say(ann, `Where do we meet tomorrow, number ${time}?`);
    for (const target of [spanish, japanese])
      await target.until((messages) => messages.length >= time);
  });
  await measure('slash command `/translate`', covered, async (time) => {
    const options = { text: `Where do we meet tomorrow, number ${time}?`, to: 'ja' };
    await bot.use({ guild, channel: replied }, 'translate', options);
  });
};

type Channel = ReturnType<
  ReturnType<Awaited<ReturnType<typeof createBot>>['discord']['guild']>['channel']
>;

const onSlack = async (): Promise<void> => {
  const covered = coverProgram();
  await using bot = await createSlackProcess();
  const { workspace, admin, slack } = bot;
  const [english, spanish] = ['english', 'spanish'].map((name) =>
    workspace.channel({ name, members: [admin] }),
  ) as [SlackChannel, SlackChannel];
  const ada = workspace.user({ name: 'Ada' });
  await bot.start(covered.environment);
  await bot.use(
    english,
    `autotranslate mirror channels:"<#${english.id}> en, <#${spanish.id}> es"`,
  );
  const before = spanish.posts.length;
  await measure('Slack event → linked channel', covered, async (time) => {
    english.say(ada, `Where do we meet tomorrow, number ${time}?`);
    await slack.until(() => spanish.posts.length >= before + time);
  });
};

type SlackChannel = ReturnType<
  Awaited<ReturnType<typeof createSlackProcess>>['workspace']['channel']
>;

const inVoice = async (): Promise<void> => {
  const covered = coverProgram();
  await using stage = await openStage(covered.environment);
  const { lounge } = stage;
  const user = stage.user('Ann');
  const ann = lounge.join(user);
  await stage.caption(user, { languages: 'es' });
  await stage.group().whenSettled();
  await measure('60 packets → one translated caption', covered, async (time) => {
    await ann.speak(numberedSpeech(0, time, WORDS));
    await lounge.until((all) => all.some(({ content }) => content.includes(`A${time}X0`)));
  });
};

const inTheService = async (): Promise<void> => {
  const covered = coverProgram();
  const key = 'svck:bench-0123456789abcdef';
  await using service = await startServerProgram({
    file: 'service/main.ts',
    port: 'SERVICE_PORT',
    environment: { SERVICE_KEYS: key, ...covered.environment },
  });
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const reply = await fetch(`${service.url}${PATHS.voices}`, { headers });
  const { voices } = (await reply.json()) as { voices: { id: string; language: string }[] };
  const voice = voices.find(({ language }) => language.startsWith('English (America)'))!;
  await measure('`/tts` of the service', covered, async (time) => {
    const text = `Where do we meet tomorrow, number ${time}?`;
    const body = JSON.stringify({ voice_id: voice.id, text, format: 'mp3' });
    const sound = await fetch(`${service.url}${PATHS.tts}`, { method: 'POST', headers, body });
    await sound.arrayBuffer();
  });
};

console.log('| way | files | their lines | by room |\n|---|---|---|---|');
try {
  for (const way of [onDiscord, onSlack, inVoice, inTheService]) await way();
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit();
