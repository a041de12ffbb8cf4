import {
  joinVoiceChannel,
  VoiceConnectionDisconnectReason,
  VoiceConnectionStatus,
  type DiscordGatewayAdapterCreator,
  type VoiceConnection,
  type VoiceConnectionState,
} from '@discordjs/voice';
import { orAborted } from '../../../src/async/abort.ts';
import { AppError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Clock } from '../../../src/async/clock.ts';
import type { LinkListener, RoomMember, VoiceLink } from '../../../src/ports/voice.ts';
import { channelOf } from '../ids.ts';
import { createBudget } from './counters.ts';
import { createDaveReader } from './dave.ts';
import type { Whereabouts } from './gateway.ts';
import { createPacketSink } from './packet-sink.ts';
import { createPlayer } from './player.ts';
import { createReceiver } from './receiver.ts';
import { createLifeline, createRecovery } from './recovery.ts';
import { attachInternals } from './library-internals.ts';

/** What the adapter tells its link of what the gateway says. */
export interface OpenLink extends VoiceLink {
  /** Resolves when the bot is there; rejects when it cannot get there, and then it has given up. */
  joined(signal: AbortSignal): Promise<void>;
  /** The gateway told where the bot is now. */
  placed(where: Omit<Whereabouts, 'guildId'>): void;
  /** The gateway forgot where the bot was, by no one's wish. */
  misplaced(): void;
  /** The bot is in the server no more. */
  gone(): void;
  /** Leaves, at once. */
  end(): void;
  memberLeft(memberId: string): void;
}

export interface VoiceConnectionDeps {
  readonly guildId: string;
  readonly ownId: string;
  readonly adapterCreator: DiscordGatewayAdapterCreator;
  readonly presentIn: (channel: Channel) => readonly RoomMember[];
  readonly clock: Clock;
  readonly listener: LinkListener;
  /** Whether it waits for the gateway because too much else is wanted of that. */
  readonly isCrowded: () => boolean;
  /** Why nobody lets us speak in a channel. */
  readonly silenced: (channel: Channel) => AppError;
  /** It has left or was thrown out, whether it was ever there or not. */
  readonly over: () => void;
}

/** People do not wait longer for a bot that they called. */
const JOIN_MS = 15_000;
/** New connections for people who cannot be heard: each one costs everybody a second. */
const RENEWALS = { most: 3, windowMs: 300_000 };

/** The library's default is to be deaf. */
const HEARING = { selfDeaf: false, selfMute: false };

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
const crowded = (): AppError =>
  new AppError('rate-limited', 'the shard was asked for too many voice channels in a minute', {
    sentence: { key: 'room.crowded' },
    retryable: true,
  });

const isKickOrMove = (state: VoiceConnectionState): boolean =>
  state.status === VoiceConnectionStatus.Disconnected &&
  state.reason === VoiceConnectionDisconnectReason.WebSocketClose;

/** Joins a voice channel and stays there, whatever the network does, until it is told to leave. */
export const openVoiceConnection = (start: Channel, deps: VoiceConnectionDeps): OpenLink => {
  const { guildId, clock, listener, presentIn } = deps;
  let channel = start;
  let isConnected = false;
  let hasJoined = false;
  let hasEnded = false;
  /** We were told that we are there: that we left may still be told of the time before. */
  let isThere = false;
  let isSuppressed = false;
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  const renewals = createBudget(RENEWALS.most, RENEWALS.windowMs, clock.nowMs);

  const connection: VoiceConnection = joinVoiceChannel({
    guildId,
    channelId: start.id,
    adapterCreator: deps.adapterCreator,
    ...HEARING,
  });

  const end = (error: AppError | undefined): void => {
    if (hasEnded) return;
    hasEnded = true;
    for (const each of [recovery, lifeline, wires, player]) each[Symbol.dispose]();
    first.reject(error ?? notJoined());
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
    deps.over();
    if (hasJoined) listener.ended(error);
  };

  const rejoin = (): void => {
    connection.rejoin({ ...HEARING, channelId: channel.id });
  };
  /** What was left and joined anew has another session, other keys, another group. */
  const leaveAndJoin = (): void => {
    isThere = false;
    // Where it waits for the gateway already, it does not leave.
    if (!connection.disconnect()) connection.rejoin({ ...HEARING, channelId: null });
    rejoin();
  };
  const renew = (): void => {
    if (!hasEnded && isConnected && renewals.take()) leaveAndJoin();
  };

  const recovery = createRecovery({ clock, rejoin, leaveAndJoin, lost: () => end(lost()) });
  const lifeline = createLifeline(clock, renew);

  const tell = (isUp: boolean): void => {
    if (isUp === isConnected) return;
    isConnected = isUp;
    listener.connected(isUp);
  };
  const up = (): void => {
    recovery.up();
    lifeline.begin();
    first.resolve();
    tell(true);
  };
  const down = (): void => {
    lifeline.pause();
    recovery.down();
    tell(false);
  };
  const follow = (state: VoiceConnectionState): void => {
    if (hasEnded) return;
    if (state.status === VoiceConnectionStatus.Ready) up();
    else if (state.status === VoiceConnectionStatus.Destroyed) end(lost());
    else if (isConnected || !recovery.isUnderWay || isKickOrMove(state)) down();
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
    ownId: deps.ownId,
    presentIds,
    nowMs: clock.nowMs,
    received: (packet) => listener.packet(packet),
    audible: (memberId, isAudible) => listener.audible(memberId, isAudible),
    missed: (ms) => listener.missed(ms),
    unknownSpeaker: renew,
  });
  const player = createPlayer({
    clock,
    send: createPacketSink({
      connection,
      dave: () => wires.dave(),
      isSuppressed: () => isSuppressed,
      silenced: () => deps.silenced(channel),
      nowMs: clock.nowMs,
    }),
    hush: () => connection.setSpeaking(false),
  });
  const wires = attachInternals(
    connection,
    {
      datagram: (message) => {
        if (!lifeline.takes(message)) receiver.datagram(message);
      },
      packet: receiver.packet,
      renewed: () => {
        receiver.renewed();
        dave.renewed();
      },
      choked: dave.choked,
    },
    clock,
  );
  // What goes wrong shows in the states that follow; without a listener it would end the process.
  connection.on('error', () => undefined);
  connection.on('stateChange', (_, state) => follow(state));
  follow(connection.state);

  return {
    get channel() {
      return channel;
    },
    joined: async (signal) => {
      const cancel = clock.after(JOIN_MS, () =>
        first.reject(deps.isCrowded() ? crowded() : notJoined()),
      );
      try {
        await orAborted(first.promise, signal);
        // It may have ended before anybody could be told that it began.
        if (hasEnded) throw notJoined();
        hasJoined = true;
      } catch (thrown) {
        end(undefined);
        throw thrown;
      } finally {
        cancel();
      }
    },
    subscribe: receiver.subscribe,
    play: player.play,
    stats: receiver.stats,
    memberLeft: receiver.left,
    placed: (where) => {
      if (hasEnded) return;
      const { channelId } = where;
      if (channelId === undefined) {
        if (isThere) end(undefined);
        return;
      }
      // Before we are there, other places are those of the time before, too.
      if (!isThere && channelId !== channel.id) return;
      isThere = true;
      ({ isSuppressed } = where);
      if (channelId === channel.id) return;
      channel = channelOf(guildId, channelId);
      listener.moved(channel);
    },
    misplaced: () => {
      isThere = false;
      if (!hasEnded) rejoin();
    },
    gone: () => end(undefined),
    end: () => end(undefined),
    [Symbol.asyncDispose]: async () => end(undefined),
  };
};
