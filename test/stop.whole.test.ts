import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import { SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { PATHS } from '../src/api/contract.ts';
import { openProcesses } from './discord/processes.ts';
import { makeDatabase } from './fakes/database.ts';
import { endProgram, listenToProgram, spawnDragoman } from './fakes/program.ts';
import { useSlackCommand } from './fakes/slack-bot.ts';
import { startSlackFake, type FakeMessage } from './fakes/slack/index.ts';
import { rowsOn } from './fakes/on-server.ts';
import { startSpeechFake } from './fakes/speech.ts';

/** Exit status after a second signal. */
const INTERRUPTED = 130;

const repliesTo = ({ replies }: FakeMessage): readonly FakeMessage[] =>
  replies.filter(({ isOurs }) => isOurs);

/** Slack, the service and a database, and one program at a time between them. */
const open = async () => {
  const parts = new AsyncDisposableStack();
  const database = await makeDatabase();
  const slack = parts.use(await startSlackFake());
  const speech = parts.use(await startSpeechFake());
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);
  const admin = workspace.user({ name: 'admin', isAdmin: true });

  /** Starts the program; resolves once it is ready. */
  const start = async (drainS: number) => {
    const program = spawnDragoman({
      DATABASE_URL: database,
      DRAIN_S: String(drainS),
      SLACK_BOT_TOKEN: workspace.botToken,
      SLACK_APP_TOKEN: slack.app.appToken,
      SLACK_API_URL: slack.url,
      SPEECH_API_URL: speech.url,
      SPEECH_API_KEY: speech.key,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
    });
    parts.defer(async () => endProgram(program));
    const { address } = await listenToProgram(program);
    const readiness = async () => {
      const reply = await fetch(`${address}/readyz`);
      const { draining } = (await reply.json()) as { draining: boolean };
      return { status: reply.status, draining };
    };
    await expect.poll(readiness).toEqual({ status: 200, draining: false });
    return { readiness, ended: once(program, 'exit'), stop: () => program.kill('SIGTERM') };
  };
  return {
    slack,
    speech,
    workspace,
    admin,
    start,
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};

it('a stop ends readiness at once; the process ends once its work is finished, or at a second signal, and no message is lost', async () => {
  await using at = await open();
  const { admin, slack, speech, start } = at;
  const first = await start(600);
  const room = at.workspace.channel({ name: 'room', members: [admin] });
  await useSlackCommand(slack, admin, room, 'autotranslate reply languages:es');
  speech.fail(PATHS.translate, { hang: true });
  const message = room.say(admin, 'Good evening to all of you');
  await expect.poll(() => speech.hanging()).toBe(1);

  first.stop();
  await expect.poll(first.readiness).toEqual({ status: 503, draining: true });
  expect(speech.hanging()).toBe(1);
  first.stop();
  expect(await first.ended).toEqual([INTERRUPTED, null]);

  await expect.poll(() => speech.hanging()).toBe(0);
  speech.fail(PATHS.translate, { hang: true });
  const second = await start(1);
  await expect.poll(() => speech.hanging()).toBe(1);
  second.stop();
  expect(await second.ended).toEqual([0, null]);
  expect(repliesTo(message)).toEqual([]);

  // What is under way at a stop is finished before the process ends.
  const program = await start(600);
  await slack.until(() => repliesTo(message).length === 1);
  const answered = Promise.withResolvers<void>();
  speech.fail(PATHS.translate, { until: answered.promise });
  const asked = (): number => speech.seen.filter(({ path }) => path === PATHS.translate).length;
  const before = asked();
  const next = room.say(admin, 'We shall meet again tomorrow');
  await expect.poll(asked).toBe(before + 1);

  program.stop();
  await expect.poll(program.readiness).toEqual({ status: 503, draining: true });
  // People are still served meanwhile.
  await useSlackCommand(slack, admin, room, 'help');
  answered.resolve();
  expect(await program.ended).toEqual([0, null]);
  expect(repliesTo(next)).toHaveLength(1);
});

it('a process that is stopping takes over no shard of another one that ends', async () => {
  const all = await openProcesses({ shards: 2, maxConcurrency: 2 });
  const { database, discord, speech } = all;
  const program = spawnDragoman({
    ROLES: 'gateway,worker',
    DATABASE_URL: database,
    DRAIN_S: '600',
    DISCORD_TOKEN: discord.token,
    DISCORD_API_URL: discord.urlFor('program'),
    SPEECH_API_URL: speech.url,
    SPEECH_API_KEY: speech.key,
    OPS_PORT: '0',
    LOG_LEVEL: 'error',
  });
  onTestFinished(async () => endProgram(program));
  const { address } = await listenToProgram(program);
  const readiness = async (): Promise<number> => (await fetch(`${address}/readyz`)).status;
  await expect.poll(readiness).toBe(200);
  const other = await all.open();
  const owners = (): readonly string[] => all.owners(2).map((names) => names.join());
  await expect.poll(() => owners().toSorted()).toEqual([other.name, 'program']);

  // A command under way keeps the program from ending.
  speech.fail(PATHS.translate, { hang: true });
  const shard = owners().indexOf('program');
  const [guild, channel] = all.towns(2)[shard]!;
  const asked = { text: 'Good evening to all of you', to: 'es' };
  discord.command(guild.owner, { channel, name: 'translate', options: asked });
  await expect.poll(() => speech.hanging()).toBe(1);
  /** Number of the times that a process took the other shard. */
  const taken = async (): Promise<readonly object[]> => {
    const lease = `name = 'discord-shards-2:${1 - shard}'`;
    return rowsOn(database, `SELECT epoch::int FROM lease WHERE ${lease}`);
  };
  const [{ epoch: before }] = (await taken()) as [{ epoch: number }];
  program.kill('SIGTERM');
  await expect.poll(readiness).toBe(503);
  await other.stop();
  const next = await all.open();
  await expect.poll(() => owners()[1 - shard]).toBe(next.name);
  expect(await taken()).toEqual([{ epoch: before + 1 }]);
});
