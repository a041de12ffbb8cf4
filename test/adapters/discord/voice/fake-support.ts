import { once } from 'node:events';
import {
  EndBehaviorType,
  NetworkingStatusCode,
  VoiceConnectionStatus,
  joinVoiceChannel,
  type VoiceConnection,
} from '@discordjs/voice';
import { GatewayIntentBits, type Client } from 'discord.js';
import { expect } from 'vitest';
import { WebSocket } from 'ws';
import {
  startDiscordFake,
  type DiscordFake,
  type DiscordFakeOptions,
  type FakeChannel,
  type FakeGuild,
  type FakeUser,
} from '../../../fakes/discord/index.ts';
import { connect, identity, login } from '../../../fakes/discord/login.ts';
import { openRtp } from '../../../fakes/discord/voice/rtp.ts';

export const INTENTS = [GatewayIntentBits.Guilds, GatewayIntentBits.GuildVoiceStates];
export const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);

export interface Place extends AsyncDisposable {
  readonly discord: DiscordFake;
  readonly client: Client<true>;
  readonly guild: FakeGuild;
  readonly lounge: FakeChannel;
  readonly ann: FakeUser;
  /** The bot joins. */
  enter(channel?: FakeChannel): VoiceConnection;
  ready(channel?: FakeChannel): Promise<VoiceConnection>;
}

export const open = async (options: DiscordFakeOptions = {}): Promise<Place> => {
  const discord = await startDiscordFake({ limits: 'off', ...options });
  const guild = discord.guild();
  const lounge = guild.channel({ type: 'voice', name: 'lounge' });
  const ann = discord.user({ name: 'ann' });
  guild.join(ann);
  const loggedIn = await login(discord, INTENTS);
  const connections: VoiceConnection[] = [];
  const enter = (channel = lounge): VoiceConnection => {
    const guildId = channel.state.guild!.id;
    const adapter = loggedIn.client.guilds.cache.get(guildId)!.voiceAdapterCreator;
    const connection = joinVoiceChannel({
      channelId: channel.id,
      guildId,
      selfDeaf: false,
      adapterCreator: adapter,
    });
    connection.on('error', () => undefined);
    connections.push(connection);
    return connection;
  };
  return {
    discord,
    client: loggedIn.client,
    guild,
    lounge,
    ann,
    enter,
    ready: async (channel) => ready(enter(channel)),
    [Symbol.asyncDispose]: async () => {
      for (const one of connections)
        if (one.state.status !== VoiceConnectionStatus.Destroyed) one.destroy();
      await loggedIn[Symbol.asyncDispose]();
      await discord[Symbol.asyncDispose]();
    },
  };
};

/** Errors on the way there are the library's to survive; `entersState` would pass them on. */
export const entered = async (
  connection: VoiceConnection,
  status: VoiceConnectionStatus,
): Promise<VoiceConnection> => {
  if (connection.state.status !== status)
    await new Promise((resolve) => connection.once(status, resolve));
  return connection;
};
export const ready = (connection: VoiceConnection): Promise<VoiceConnection> =>
  entered(connection, VoiceConnectionStatus.Ready);

/** Sooner than `expect.poll` by itself. */
export const soon = <T>(read: () => T) => expect.poll(read, { interval: 5 });

/** Packets of 20 ms that can be told apart. */
export const numbered = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => Buffer.from([0xf8, index >> 8, index & 255, 7]));

export const play = async (
  connection: VoiceConnection,
  packets: readonly Buffer[],
): Promise<void> => {
  for (const packet of packets) {
    connection.playOpusPacket(packet);
    await new Promise(setImmediate);
  }
};

/** Everything that the library gives out of what somebody says. */
export const listen = (connection: VoiceConnection, user: { readonly id: string }): Buffer[] => {
  const heard: Buffer[] = [];
  const stream = connection.receiver.subscribe(user.id, {
    end: { behavior: EndBehaviorType.Manual },
  });
  stream.on('data', (packet: Buffer) => heard.push(packet));
  stream.on('error', () => undefined);
  return heard;
};

/** RTCP in place of RTP (RFC 5761 section 4). */
const isReport = (datagram: Buffer): boolean => datagram[1]! >= 200 && datagram[1]! < 205;

/** The RTP packets themselves, opened with the key of the session. */
export const tap = (connection: VoiceConnection) => {
  const { state } = connection;
  if (state.status !== VoiceConnectionStatus.Ready) throw new Error('not ready');
  const networking = state.networking.state;
  if (networking.code !== NetworkingStatusCode.Ready) throw new Error('not ready');
  const { secretKey } = networking.connectionData;
  const opened: ReturnType<typeof openRtp>[] = [];
  networking.udp.on('message', (datagram: Buffer) => {
    if (datagram.length > 8 && !isReport(datagram)) opened.push(openRtp(datagram, secretKey));
  });
  return opened;
};

/** A socket of a voice server, after HELLO. */
const rawSocket = async (endpoint: string) => {
  const socket = new WebSocket(`wss://${endpoint}?v=8`);
  const messages: { op: number; seq?: number; d: Record<string, unknown> }[] = [];
  const closed = once(socket, 'close').then(([code]) => Number(code));
  socket.on('message', (raw: Buffer) => {
    messages.push(JSON.parse(raw.toString()) as (typeof messages)[number]);
  });
  await soon(() => messages[0]?.op).toBe(8);
  return {
    messages,
    closed,
    socket,
    send: (op: number, d: unknown) => socket.send(JSON.stringify({ op, d })),
    message: async (op: number) => {
      await soon(() => messages.some((one) => one.op === op)).toBe(true);
      return messages.find((one) => one.op === op)!.d;
    },
  };
};

/** The voice gateway without a library, where the bot was let into the lounge. */
export const rawVoice = async (place: Place) => {
  const { discord, lounge } = place;
  using gateway = await connect(discord);
  gateway.send(2, identity(discord, { intents: (1 << 0) | (1 << 7) }));
  await gateway.event('GUILD_CREATE');
  const guildId = lounge.state.guild!.id;
  gateway.send(4, { guild_id: guildId, channel_id: lounge.id, self_mute: false, self_deaf: false });
  const state = await gateway.event('VOICE_STATE_UPDATE');
  const server = await gateway.event('VOICE_SERVER_UPDATE');
  const known = {
    server_id: guildId,
    user_id: discord.botUser.id,
    session_id: state['session_id'],
    token: server['token'],
    max_dave_protocol_version: 1,
  };
  const connectAgain = () => rawSocket(String(server['endpoint']));
  return { known, connectAgain, ...(await connectAgain()) };
};
