import type { DiscordGatewayAdapterCreator } from '@discordjs/voice';
import { GatewayDispatchEvents as Events, Status, type Client } from 'discord.js';
import { describe, expect, it } from 'vitest';
import type { On } from '../../../../adapters/discord/inbound/client.ts';
import { createVoiceGateway } from '../../../../adapters/discord/voice/gateway.ts';
import { createTestClock } from '../../../fakes/clock.ts';

const start = () => {
  const clock = createTestClock();
  const told: unknown[] = [];
  const sent: unknown[] = [];
  const shard = {
    status: Status.Ready,
    send: ({ d }: { d: { guild_id: string; channel_id: string | null } }) =>
      sent.push([d.guild_id, d.channel_id]),
  };
  const guilds = new Map([['babel', { shard }]]);
  const returns = { wanted: Promise.resolve(true) };
  const session = { serves: true };
  const handlers = new Map<string, (data: unknown) => unknown>();
  const gateway = createVoiceGateway({
    clients: { here: () => ({ guilds: { cache: guilds } }) as unknown as Client },
    clock,
    placed: ({ guildId, channelId, isSuppressed }) =>
      told.push(['placed', guildId, channelId, isSuppressed]),
    misplaced: (guildId) => told.push(['misplaced', guildId]),
    gone: (guildId) => told.push(['gone', guildId]),
    ready: async () => returns.wanted,
  });
  gateway.listen(
    ((event: string, handle: (data: unknown) => unknown) =>
      handlers.set(event, handle)) as unknown as On,
    'bot',
    () => session.serves,
  );
  const connect = (guildId = 'babel') => {
    const methods = {
      onVoiceServerUpdate: (data: unknown) => told.push(['server', data]),
      onVoiceStateUpdate: () => told.push(['state']),
      destroy: () => undefined,
    };
    const adapter: ReturnType<DiscordGatewayAdapterCreator> = gateway.adapterFor(guildId)(methods);
    const want = (channel_id: string | null) =>
      adapter.sendPayload({ op: 4, d: { guild_id: guildId, channel_id } });
    return { want, destroy: () => adapter.destroy() };
  };
  const happens = (event: string, data: unknown): void => void handlers.get(event)!(data);
  const created = (
    ...states: { user_id: string; channel_id: string | null; suppress?: boolean }[]
  ) => happens(Events.GuildCreate, { id: 'babel', voice_states: states });
  return { clock, told, sent, shard, guilds, gateway, connect, happens, created, returns, session };
};

describe('what the main gateway tells of voice', () => {
  it('reaches the connection of that server, and nobody once that is gone', () => {
    const { told, connect, happens } = start();
    const connection = connect();
    const server = { guild_id: 'babel', endpoint: 'here' };
    happens(Events.VoiceServerUpdate, server);
    const state = { guild_id: 'babel', user_id: 'bot', channel_id: 'lounge', suppress: true };
    happens(Events.VoiceStateUpdate, state);
    happens(Events.VoiceStateUpdate, { ...state, user_id: 'ann' });
    happens(Events.VoiceServerUpdate, { ...server, guild_id: 'babylon' });
    expect(told).toEqual([['server', server], ['state'], ['placed', 'babel', 'lounge', true]]);
    connection.destroy();
    happens(Events.VoiceServerUpdate, server);
    happens(Events.VoiceStateUpdate, { ...state, channel_id: null, suppress: false });
    expect(told.slice(3)).toEqual([['placed', 'babel', undefined, false]]);
  });

  it('reaches the newest connection when the one before ends late', () => {
    const { told, connect, happens } = start();
    const old = connect();
    connect();
    old.destroy();
    happens(Events.VoiceServerUpdate, { guild_id: 'babel' });
    expect(told).toHaveLength(1);
  });
});

describe('a session beside the one that requests go to', () => {
  it('changes nothing: it may tell late that the bot left', () => {
    const { told, sent, connect, happens, created, session } = start();
    connect();
    session.serves = false;
    happens(Events.VoiceServerUpdate, { guild_id: 'babel' });
    happens(Events.VoiceStateUpdate, { guild_id: 'babel', user_id: 'bot', channel_id: null });
    created({ user_id: 'bot', channel_id: 'lounge' });
    expect([told, sent]).toEqual([[], []]);
  });
});

describe('a new session of the gateway', () => {
  it('knows nothing of us: we are to come anew, to where we were brought meanwhile', () => {
    const { told, connect, created } = start();
    connect();
    created();
    created(
      { user_id: 'bot', channel_id: 'attic', suppress: false },
      { user_id: 'ann', channel_id: 'lounge' },
    );
    expect(told).toEqual([
      ['misplaced', 'babel'],
      ['placed', 'babel', 'attic', false],
      ['misplaced', 'babel'],
    ]);
  });

  it('puts us out where we are by no wish of this process', async () => {
    const { clock, sent, told, shard, created } = start();
    shard.status = Status.WaitingForGuilds;
    created({ user_id: 'bot', channel_id: 'attic' });
    await clock.advance(3_000);
    expect(sent).toEqual([]);
    shard.status = Status.Ready;
    await clock.advance(1_000);
    expect([sent, told, clock.waiting]).toEqual([[['babel', null]], [], 0]);
    created({ user_id: 'ann', channel_id: 'attic' });
    expect(sent).toHaveLength(1);
  });

  it('leaves us where we came back to', async () => {
    const { clock, sent, returns, connect, created } = start();
    const returned = Promise.withResolvers<boolean>();
    returns.wanted = returned.promise;
    created({ user_id: 'bot', channel_id: 'attic' });
    await clock.advance(5_000);
    connect().want('attic');
    returned.resolve(true);
    await clock.advance(5_000);
    expect(sent).toEqual([['babel', 'attic']]);
  });

  it('leaves us where another process may be', async () => {
    const { clock, sent, returns, created } = start();
    returns.wanted = Promise.resolve(false);
    created({ user_id: 'bot', channel_id: 'attic' });
    await clock.advance(5_000);
    expect([sent, clock.waiting]).toEqual([[], 0]);
  });
});

describe('a server', () => {
  it('that is away is waited for, one that is gone is not', async () => {
    const { clock, told, sent, shard, guilds, connect, happens } = start();
    const { want } = connect();
    shard.status = Status.Disconnected;
    want('lounge');
    happens(Events.GuildDelete, { id: 'babel', unavailable: true });
    happens(Events.GuildCreate, { id: 'babel', unavailable: true });
    expect([told, clock.waiting]).toEqual([[], 1]);
    happens(Events.GuildDelete, { id: 'babel' });
    guilds.clear();
    want(null);
    await clock.advance(10_000);
    expect([told, sent, clock.waiting]).toEqual([[['gone', 'babel']], [], 0]);
  });

  it('is left although the connection is no more, unless it is joined again first', async () => {
    for (const again of [false, true]) {
      const { clock, sent, shard, connect } = start();
      const first = connect();
      first.want('lounge');
      shard.status = Status.Disconnected;
      first.want(null);
      first.destroy();
      if (again) connect().want('attic');
      await clock.advance(5_000);
      shard.status = Status.Ready;
      await clock.advance(1_000);
      expect(sent.slice(1)).toEqual([['babel', again ? 'attic' : null]]);
    }
  });

  it('is waited for no more when the program ends', () => {
    const { clock, shard, gateway, connect } = start();
    shard.status = Status.Disconnected;
    connect().want('lounge');
    gateway.stop();
    expect(clock.waiting).toBe(0);
  });
});

describe('a shard', () => {
  it('takes a hundred joins and leaves a minute, and the others wait', async () => {
    const { clock, sent, shard, guilds, gateway, connect } = start();
    const ids = Array.from({ length: 150 }, (_, at) => `guild ${at}`);
    for (const id of ids) guilds.set(id, { shard });
    const rooms = ids.map((id) => connect(id));
    for (const room of rooms) room.want('lounge');
    expect(sent).toHaveLength(100);
    expect(ids.filter(gateway.isCrowded)).toEqual(ids.slice(100));
    // Who gives up takes nothing of what the others wait for, and who leaves waits as well.
    for (const room of rooms.slice(110)) room.want(null);
    rooms[0]!.want(null);
    await clock.advance(58_000);
    expect(sent).toHaveLength(100);
    await clock.advance(4_000);
    expect(sent.slice(100)).toHaveLength(11);
    expect(sent.slice(100)).toContainEqual([ids[0], null]);
    expect([ids.filter(gateway.isCrowded), clock.waiting]).toEqual([[], 0]);
  });

  it('has no room taken away by another shard', () => {
    const { sent, shard, guilds, connect } = start();
    const other = { ...shard };
    for (let at = 0; at < 200; at += 1)
      guilds.set(`guild ${at}`, { shard: at % 2 ? shard : other });
    for (let at = 0; at < 200; at += 1) connect(`guild ${at}`).want('lounge');
    expect(sent).toHaveLength(200);
  });
});
