import {
  joinVoiceChannel,
  VoiceConnectionDisconnectReason,
  VoiceConnectionStatus,
  type DiscordGatewayAdapterCreator,
  type VoiceConnection,
  type VoiceConnectionState,
} from '@discordjs/voice';
import { orAborted } from '../../../src/abort.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model.ts';
import type { Clock } from '../../../src/room/clock.ts';
import type { LinkListener, RoomMember, VoiceLink } from '../../../src/room/port.ts';
import { channelOf } from '../ids.ts';
import { createBudget } from './counters.ts';
import { createDaveReader } from './dave.ts';
import { createPlayer } from './player.ts';
import { createReceiver } from './receiver.ts';
import { attachWires } from './wires.ts';

/** What the adapter tells its link of what the gateway says. */
export interface OpenLink extends VoiceLink {
  /** Resolves when the bot is there; rejects when it cannot get there, and then it has given up. */
  joined(signal: AbortSignal): Promise<void>;
  /** The gateway told where the bot is now; undefined: in no channel of the server. */
  placed(channelId: string | undefined): void;
  /** The gateway forgot where the bot was, by no one's wish. */
  misplaced(): void;
  memberLeft(memberId: string): void;
}

export interface LinkParts {
  readonly guildId: string;
  readonly adapterCreator: DiscordGatewayAdapterCreator;
  readonly presentIn: (channel: Channel) => readonly RoomMember[];
  readonly clock: Clock;
  readonly listener: LinkListener;
}

/** People do not wait longer for a bot that they called. */
const JOIN_MS = 15_000;
/** A step of the handshake may be lost, and the library then waits for ever. */
const STUCK_MS = 8_000;
/** After so long without a connection the room has gone on without us. */
const GIVE_UP_MS = 180_000;
/** The voice server answers keep-alives, which go out every 5 s. */
const ECHO_MS = 17_000;
const KEEP_ALIVE_BYTES = 8;
/** New connections for people who cannot be heard: each one costs everybody a second. */
const RENEWALS = { most: 3, windowMs: 300_000 };

const lost = (): AppError =>
  new AppError(
    'unavailable',
    'the connection to the voice channel was lost and cannot be made again',
    {
      sentence: { key: 'room.lost' },
      retryable: true,
    },
  );
const notJoined = (): AppError =>
  new AppError('unavailable', 'Discord let the bot into no voice channel in time', {
    sentence: { key: 'room.not-joined' },
    retryable: true,
  });

const isKickOrMove = (state: VoiceConnectionState): boolean =>
  state.status === VoiceConnectionStatus.Disconnected &&
  state.reason === VoiceConnectionDisconnectReason.WebSocketClose;

/** Joins a voice channel and stays there, whatever the network does, until it is told to leave. */
export const openLink = (start: Channel, parts: LinkParts): OpenLink => {
  const { guildId, clock, listener, presentIn } = parts;
  let channel = start;
  let isConnected = false;
  let hasJoined = false;
  let hasEnded = false;
  /** We were told that we are there: that we left may still be told of the time before. */
  let isThere = false;
  let tries = 0;
  let lastEchoMs: number | undefined;
  let cancelStuck: (() => void) | undefined;
  let cancelGiveUp: (() => void) | undefined;
  let cancelEcho: (() => void) | undefined;
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  const renewals = createBudget(RENEWALS.most, RENEWALS.windowMs, clock.nowMs);

  const connection: VoiceConnection = joinVoiceChannel({
    guildId,
    channelId: start.id,
    adapterCreator: parts.adapterCreator,
    selfDeaf: false,
    selfMute: false,
  });

  const end = (error: AppError | undefined): void => {
    if (hasEnded) return;
    hasEnded = true;
    for (const cancel of [cancelStuck, cancelGiveUp, cancelEcho]) cancel?.();
    wires[Symbol.dispose]();
    player[Symbol.dispose]();
    first.reject(error ?? notJoined());
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
    if (hasJoined) listener.ended(error);
  };

  const rejoin = (): void => {
    connection.rejoin({ channelId: channel.id, selfDeaf: false, selfMute: false });
  };
  /** What was left and joined anew has another session, other keys, another group. */
  const leaveAndJoin = (): void => {
    isThere = false;
    connection.disconnect();
    rejoin();
  };
  const renew = (): void => {
    if (!hasEnded && isConnected && renewals.take()) leaveAndJoin();
  };

  const watchSteps = (): void => {
    cancelStuck?.();
    cancelStuck = clock.after(STUCK_MS, () => {
      tries += 1;
      if (tries % 2 === 1) rejoin();
      else leaveAndJoin();
      watchSteps();
    });
  };
  const watchEcho = (): void => {
    cancelEcho?.();
    cancelEcho = clock.after(ECHO_MS, () => {
      const silentMs = clock.nowMs() - (lastEchoMs ?? clock.nowMs());
      // A server that never answered them tells nothing by its silence.
      if (silentMs >= ECHO_MS) renew();
      watchEcho();
    });
  };

  const up = (): void => {
    cancelStuck?.();
    cancelGiveUp?.();
    cancelGiveUp = undefined;
    tries = 0;
    lastEchoMs = undefined;
    watchEcho();
    first.resolve();
    player.resume();
    if (isConnected) return;
    isConnected = true;
    listener.connected(true);
  };
  const down = (): void => {
    cancelEcho?.();
    watchSteps();
    cancelGiveUp ??= clock.after(GIVE_UP_MS, () => end(lost()));
    if (!isConnected) return;
    isConnected = false;
    listener.connected(false);
  };
  const follow = (state: VoiceConnectionState): void => {
    if (hasEnded) return;
    if (state.status === VoiceConnectionStatus.Ready) up();
    else if (state.status === VoiceConnectionStatus.Destroyed) end(lost());
    else if (isConnected || cancelGiveUp === undefined || isKickOrMove(state)) down();
  };

  const presentIds = (): readonly string[] => presentIn(channel).map(({ id }) => id);
  const dave = createDaveReader({
    dave: () => wires.dave(),
    nowMs: clock.nowMs,
    exhausted: renew,
  });
  const receiver = createReceiver({
    key: () => wires.key(),
    dave,
    presentIds,
    nowMs: clock.nowMs,
    heard: (packet) => listener.packet(packet),
    audible: (memberId, isAudible) => listener.audible(memberId, isAudible),
    unknownSpeaker: renew,
  });
  const player = createPlayer({
    clock,
    send: (packet) => connection.playOpusPacket(packet) === true,
    hush: () => connection.setSpeaking(false),
  });
  const wires = attachWires(connection, {
    datagram: (message) => {
      if (message.length === KEEP_ALIVE_BYTES) lastEchoMs = clock.nowMs();
      else receiver.datagram(message);
    },
    packet: receiver.packet,
    renewed: () => {
      receiver.renewed();
      dave.renewed();
    },
    choked: dave.choked,
  });
  // What goes wrong shows in the states that follow; without a listener it would end the process.
  connection.on('error', () => undefined);
  connection.on('stateChange', (_, state) => follow(state));
  follow(connection.state);

  return {
    get channel() {
      return channel;
    },
    joined: async (signal) => {
      const cancel = clock.after(JOIN_MS, () => first.reject(notJoined()));
      try {
        await orAborted(first.promise, signal);
        hasJoined = true;
      } catch (thrown) {
        end(undefined);
        throw thrown;
      } finally {
        cancel();
      }
    },
    hear: receiver.hear,
    play: player.play,
    stats: receiver.stats,
    memberLeft: receiver.left,
    placed: (channelId) => {
      if (hasEnded) return;
      if (channelId === undefined) {
        if (isThere) end(undefined);
        return;
      }
      isThere = true;
      if (channelId === channel.id) return;
      channel = channelOf(guildId, channelId);
      listener.moved(channel);
    },
    misplaced: () => {
      isThere = false;
      if (!hasEnded) rejoin();
    },
    [Symbol.asyncDispose]: async () => end(undefined),
  };
};
