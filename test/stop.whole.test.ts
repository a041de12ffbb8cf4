import { once } from 'node:events';
import { expect, it } from 'vitest';
import { SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { PATHS } from '../src/api/contract.ts';
import { makeDatabase } from './fakes/database.ts';
import { startDiscordFake } from './fakes/discord/index.ts';
import { guildsOfShards } from './fakes/discord/shard-of.ts';
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
  const shards = 2;
  const database = await makeDatabase();
  await using discord = await startDiscordFake({ shards, maxConcurrency: shards });
  await using speech = await startSpeechFake();
  await using programs = new AsyncDisposableStack();
  const start = async (name: string) => {
    const program = spawnDragoman({
      ROLES: 'gateway,worker',
      DATABASE_URL: database,
      DRAIN_S: '600',
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.urlFor(name),
      SPEECH_API_URL: speech.url,
      SPEECH_API_KEY: speech.key,
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
    });
    programs.defer(async () => endProgram(program));
    const { address } = await listenToProgram(program);
    const readiness = async (): Promise<number> => (await fetch(`${address}/readyz`)).status;
    await expect.poll(readiness, { message: `${name} is ready` }).toBe(200);
    return { readiness, stop: async () => endProgram(program, 'SIGTERM'), program };
  };
  /** The process that has each shard. */
  const owners = (): readonly (string | undefined)[] =>
    Array.from({ length: shards }, (_, id) => {
      const up = discord.gateway.sessions.filter(
        ({ connected, shard }) => connected && shard[0] === id,
      );
      return up.length === 1 ? up[0]?.client : undefined;
    });
  const [one, other] = [await start('one'), await start('other')];
  const isDivided = (): boolean => owners().includes('one') && owners().includes('other');
  await expect.poll(isDivided).toBe(true);

  // A command under way keeps the first one from ending.
  speech.fail(PATHS.translate, { hang: true });
  const shard = owners().indexOf('one');
  const guild = guildsOfShards(discord, shards)[shard]!;
  const asked = { text: 'Good evening to all of you', to: 'es' };
  const channel = guild.channel({ name: 'general' });
  discord.command(guild.owner, { channel, name: 'translate', options: asked });
  await expect.poll(() => speech.hanging()).toBe(1);
  /** Number of the times that a process took the other shard. */
  const taken = async (): Promise<readonly object[]> => {
    const lease = `name = 'discord-shards-${shards}:${1 - shard}'`;
    return rowsOn(database, `SELECT epoch::int FROM lease WHERE ${lease}`);
  };
  const [{ epoch: before }] = (await taken()) as [{ epoch: number }];
  one.program.kill('SIGTERM');
  await expect.poll(one.readiness).toBe(503);
  await other.stop();
  await start('next');
  await expect.poll(() => owners().toSpliced(shard, 1)).toEqual(['next']);
  expect(await taken()).toEqual([{ epoch: before + 1 }]);
});
