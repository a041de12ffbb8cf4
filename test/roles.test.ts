import { describe, expect, it } from 'vitest';
import { SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { makeDatabase } from './fakes/database.ts';
import { startDiscordFake } from './fakes/discord/index.ts';
import { guildsOfShards } from './fakes/discord/shard-of.ts';
import { endProgram, spawnDragoman } from './fakes/program.ts';
import { useSlackCommand } from './fakes/slack-bot.ts';
import { startSlackFake, type FakeMessage } from './fakes/slack/index.ts';
import { startSpeechFake } from './fakes/speech.ts';
import { PATHS } from '../src/api/contract.ts';

const SHARDS = 2;

const repliesTo = ({ replies }: FakeMessage): readonly FakeMessage[] =>
  replies.filter(({ isOurs }) => isOurs);

/** Discord, Slack, the service and a database, and programs between them. */
const open = async () => {
  const parts = new AsyncDisposableStack();
  const database = await makeDatabase();
  const discord = parts.use(await startDiscordFake({ shards: SHARDS, maxConcurrency: SHARDS }));
  const slack = parts.use(await startSlackFake());
  const speech = parts.use(await startSpeechFake());
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);

  /** Starts a program under the name of its role; resolves with what can be asked of it once it is ready. */
  const start = async (role: string) => {
    const program = spawnDragoman({
      ROLES: role,
      DATABASE_URL: database,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.urlFor(role),
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
    let said = '';
    for (const stream of [program.stdout, program.stderr])
      stream.on('data', (some: Buffer) => (said += String(some)));
    const address = (): string | undefined => /health and metrics: (\S+)/.exec(said)?.[1];
    await expect.poll(address).toBeDefined();
    const readiness = async (): Promise<number> => (await fetch(`${address()}/readyz`)).status;
    await expect.poll(readiness, { message: `${role} is ready` }).toBe(200);
    return { kill: async () => endProgram(program), said: () => said };
  };
  return {
    discord,
    slack,
    speech,
    workspace,
    start,
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};

describe('processes with a role each', () => {
  it('are ready: the gateway alone connects, and workers post and take over from one another', async () => {
    await using at = await open();
    const { discord, slack, speech, workspace } = at;
    const [, worker] = await Promise.all(['gateway', 'worker', 'web'].map(at.start));
    const connected = (): ReadonlySet<number> =>
      new Set(
        discord.gateway.sessions.flatMap(({ connected: isUp, shard }) => (isUp ? shard[0] : [])),
      );
    await discord.until(() => connected().size === SHARDS);

    const [guild] = guildsOfShards(discord, SHARDS);
    const channel = guild!.channel({ name: 'general' });
    const watching = { channel, name: 'autotranslate reply', options: { languages: 'es' } };
    await discord.command(guild!.owner, watching).answer();
    const said = channel.say(guild!.owner, 'Good morning to all of you');
    await channel.until((all) => all.some(({ state }) => state.reference?.messageId === said.id));

    const admin = workspace.user({ name: 'admin', isAdmin: true });
    const room = workspace.channel({ name: 'room', members: [admin] });
    await useSlackCommand(slack, admin, room, 'autotranslate reply languages:es');
    const first = room.say(admin, 'Good evening to all of you');
    await slack.until(() => repliesTo(first).length === 1);

    speech.fail(PATHS.translate, { hang: true });
    const second = room.say(admin, 'We shall meet again tomorrow');
    await expect.poll(() => speech.hanging()).toBe(1);
    await worker!.kill();
    speech.heal();
    await at.start('worker');
    await slack.until(() => repliesTo(second).length === 1);

    const clients = new Set(discord.gateway.sessions.map(({ client }) => client));
    expect([...clients]).toEqual(['gateway']);
    const posts = discord.requests.filter(
      ({ route, body }) =>
        route === 'POST /channels/:id/messages' && body['message_reference'] !== undefined,
    );
    expect(posts.map(({ client }) => client)).toEqual(['worker']);
  });
});
