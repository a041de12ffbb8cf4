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
import { createBudget } from './budget.ts';
import { createDaveReader } from './dave.ts';
import type { Whereabouts } from './gateway.ts';
import { createPacketSink } from './packet-sink.ts';
import { createPlayer } from './player.ts';
import { createReceiver } from './receiver.ts';
import { createLifeline, createRecovery } from './recovery.ts';
import { attachInternals } from './library-internals.ts';

/** A link, with what the adapter tells it of the gateway. */
export interface OpenLink extends VoiceLink {
  /** Resolves when the bot is there; rejects when it cannot get there, and has given up. */
  joined(signal: AbortSignal): Promise<void>;
  /** Notes where the bot is now. */
  placed(where: Omit<Whereabouts, 'guildId'>): void;
  /** Notes that the gateway forgot where the bot was. */
  misplaced(): void;
  /** Notes that the bot is in the server no more. */
  gone(): void;
  /** Leaves at once. */
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
  /** True when a request waits for a gateway that was asked for too much. */
  readonly isCrowded: () => boolean;
  /** The reason why the bot may not speak in a channel. */
  readonly silenced: (channel: Channel) => AppError;
  /** Called when it has left or was thrown out, whether it was ever there or not. */
  readonly over: () => void;
}

/** Longest wait of people who called the bot. */
const JOIN_MS = 15_000;
/** New connections for members who cannot be received: each one costs everybody a second. */
const RENEWALS = { most: 3, windowMs: 300_000 };

/** Voice state of the bot; the library's default is to be deaf. */
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

/** Joins a voice channel and stays there, whatever the network does, until it has to leave. */
export const openVoiceConnection = (start: Channel, deps: VoiceConnectionDeps): OpenLink => {
  const { guildId, clock, listener, presentIn } = deps;
  let channel = start;
  let isConnected = false;
  let hasJoined = false;
  let hasEnded = false;
  /** Set once the gateway says that the bot is there: before, it may still report the time before. */
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
    for (const each of [recovery, lifeline, internals, player]) each[Symbol.dispose]();
    first.reject(error ?? notJoined());
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
    deps.over();
    if (hasJoined) listener.ended(error);
  };

  const rejoin = (): void => {
    connection.rejoin({ ...HEARING, channelId: channel.id });
  };
  /** Leaves and joins again: with another session, other keys, another group. */
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
    dave: () => internals.dave(),
    nowMs: clock.nowMs,
    exhausted: renew,
  });
  const receiver = createReceiver({
    key: () => internals.key(),
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
      dave: () => internals.dave(),
      isSuppressed: () => isSuppressed,
      silenced: () => deps.silenced(channel),
      nowMs: clock.nowMs,
    }),
    silence: () => connection.setSpeaking(false),
  });
  const internals = attachInternals(
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
      failed: dave.failedMessage,
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
