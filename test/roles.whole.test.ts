import { describe, expect, it } from 'vitest';
import { SUBSCRIBED } from '../adapters/slack/manifest.ts';
import { SCOPES } from '../adapters/slack/scopes.ts';
import { makeDatabase } from './fakes/database.ts';
import { startDiscordFake } from './fakes/discord/index.ts';
import { guildsOfShards } from './fakes/discord/shard-of.ts';
import { rowsOn } from './fakes/on-server.ts';
import { endProgram, listenToProgram, spawnDragoman } from './fakes/program.ts';
import { slackAddressIn, useSlackCommand } from './fakes/slack-bot.ts';
import { startSlackFake, type FakeMessage } from './fakes/slack/index.ts';
import { startSpeechFake } from './fakes/speech.ts';
import { PATHS } from '../src/api/contract.ts';

const SHARDS = 2;

const repliesTo = ({ replies }: FakeMessage): readonly FakeMessage[] =>
  replies.filter(({ isOurs }) => isOurs);

/**
 * Discord, Slack, the service and a database, and programs between them.
 *
 * @param transport by which Slack's events arrive
 */
const open = async (transport: 'socket' | 'http') => {
  const parts = new AsyncDisposableStack();
  const database = await makeDatabase();
  const discord = parts.use(await startDiscordFake({ shards: SHARDS, maxConcurrency: SHARDS }));
  const slack = parts.use(await startSlackFake());
  const speech = parts.use(await startSpeechFake());
  const workspace = slack.workspace({ name: 'team', scopes: Object.keys(SCOPES) });
  slack.app.events = new Set(SUBSCRIBED);

  /** Starts a program, by default under the name of its role; resolves with what can be asked of it once it is ready. */
  const start = async (role: string, name = role) => {
    const program = spawnDragoman({
      ROLES: role,
      DATABASE_URL: database,
      DISCORD_TOKEN: discord.token,
      DISCORD_API_URL: discord.urlFor(name),
      SLACK_BOT_TOKEN: workspace.botToken,
      ...(transport === 'socket'
        ? { SLACK_APP_TOKEN: slack.app.appToken }
        : { SLACK_SIGNING_SECRET: slack.app.signingSecret, SLACK_PORT: '0' }),
      SLACK_API_URL: slack.url,
      SPEECH_API_URL: speech.url,
      SPEECH_API_KEY: speech.key,
      PORT: '0',
      OPS_PORT: '0',
      LOG_LEVEL: 'error',
    });
    parts.defer(async () => endProgram(program));
    const { address, said } = await listenToProgram(program);
    const readiness = async (): Promise<number> => (await fetch(`${address}/readyz`)).status;
    await expect.poll(readiness, { message: `${name} is ready` }).toBe(200);
    return { kill: async () => endProgram(program), said };
  };
  /** True once a process has taken part in the clearing of old rows. */
  const isCleared = async (): Promise<boolean> =>
    (await rowsOn(database, "SELECT 1 FROM lease WHERE set_name = 'retention:'")).length > 0;
  return {
    discord,
    slack,
    speech,
    workspace,
    start,
    isCleared,
    [Symbol.asyncDispose]: async () => parts.disposeAsync(),
  };
};

describe('processes with a role each', () => {
  it('are ready: the gateway alone connects, workers alone clear old rows and post', async () => {
    await using at = await open('socket');
    const { discord, slack, workspace } = at;
    await Promise.all(['gateway', 'web'].map((role) => at.start(role)));
    expect(await at.isCleared()).toBe(false);
    await at.start('worker');
    await expect.poll(at.isCleared).toBe(true);
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

    const clients = new Set(discord.gateway.sessions.map(({ client }) => client));
    expect([...clients]).toEqual(['gateway']);
    const posts = discord.requests.filter(
      ({ route, body }) =>
        route === 'POST /channels/:id/messages' && body['message_reference'] !== undefined,
    );
    expect(posts.map(({ client }) => client)).toEqual(['worker']);
  });

  it('start at once and have a worker that lives take over what a killed one had, also where Slack sends its events by HTTP, to the gateway alone', async () => {
    await using at = await open('http');
    const { discord, slack, speech, workspace } = at;
    const [gateway, worker] = await Promise.all(
      ['gateway', 'worker'].map((role) => at.start(role)),
    );
    await expect.poll(() => slackAddressIn(gateway!.said())).toBeDefined();
    expect(slackAddressIn(worker!.said())).toBeUndefined();
    slack.app.socketMode = false;
    slack.app.requestUrl = slackAddressIn(gateway!.said());

    const [guild] = guildsOfShards(discord, SHARDS);
    const channel = guild!.channel({ name: 'general' });
    const watching = { channel, name: 'autotranslate reply', options: { languages: 'es' } };
    await discord.command(guild!.owner, watching).answer();
    const admin = workspace.user({ name: 'admin', isAdmin: true });
    const room = workspace.channel({ name: 'room', members: [admin] });
    await useSlackCommand(slack, admin, room, 'autotranslate reply languages:es');
    speech.fail(PATHS.translate, { hang: true }, { hang: true });
    const said = channel.say(guild!.owner, 'Good morning to all of you');
    const written = room.say(admin, 'Good evening to all of you');
    await expect.poll(() => speech.hanging()).toBe(2);

    await at.start('worker', 'worker2');
    await worker!.kill();
    speech.heal();
    await channel.until((all) => all.some(({ state }) => state.reference?.messageId === said.id));
    await slack.until(() => repliesTo(written).length === 1);
    const posts = discord.requests.filter(
      ({ route, body }) =>
        route === 'POST /channels/:id/messages' && body['message_reference'] !== undefined,
    );
    expect(posts.map(({ client }) => client)).toEqual(['worker2']);
  });
});
