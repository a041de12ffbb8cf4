import {
  joinVoiceChannel,
  VoiceConnectionDisconnectReason,
  VoiceConnectionStatus,
  type VoiceConnection,
  type VoiceConnectionState,
} from '@discordjs/voice';
import { orAborted } from '../../../src/async/abort.ts';
import { AppError, userError } from '../../../src/errors.ts';
import type { Channel } from '../../../src/model/place.ts';
import type { Clock } from '../../../src/async/clock.ts';
import type { LinkListener, Restrictions, RoomMember } from '../../../src/ports/voice.ts';
import { channelOf } from '../ids.ts';
import { createBudget, createLifeline, createRecovery } from './recovery.ts';
import { createDaveReader } from './dave.ts';
import type { VoiceGateway, Whereabouts } from './gateway.ts';
import { createPacketSink, createPlayer } from './player.ts';
import { createReceiver } from './receiver.ts';
import { createInternals } from './library-internals.ts';

/** A `VoiceLink` that the adapter informs of events from the gateway. */
export type OpenLink = ReturnType<typeof openVoiceConnection>;

const FLAGS = ['isSuppressed', 'isMuted', 'isDeafened'] as const;
/** The parts of the bot's voice state that moderators decide. */
export type VoiceState = Pick<Whereabouts, (typeof FLAGS)[number]>;

export interface VoiceConnectionDeps {
  /** Name under which the library keeps the connections of one adapter, by server: none is another adapter's. */
  readonly group: string;
  readonly ownId: string;
  readonly gateway: Pick<VoiceGateway, 'adapterFor' | 'connected' | 'isCrowded'>;
  readonly presentIn: (channel: Channel) => readonly RoomMember[];
  readonly clock: Clock;
  readonly listener: LinkListener;
  /** The reasons why the bot may not speak or hear somewhere. */
  readonly restrictionsAt: (where: VoiceState, channel: Channel) => Restrictions;
  /** The missing permissions that keep the bot out of a channel. */
  readonly refusalOf: (channel: Channel) => AppError | undefined;
  /** Called when the bot has left or was disconnected, whether it ever joined or not. */
  readonly over: () => void;
}

/** Time within which a channel is joined, or not at all. */
export const JOIN_MS = 15_000;
/** New connections for members who cannot be received: each interrupts everybody for a second. */
const RENEWALS = { most: 3, windowMs: 300_000 };

/** Voice state of the bot; by default the library joins deafened. */
const HEARING = { selfDeaf: false, selfMute: false };

const lost = (): AppError => userError('unavailable', 'room.lost', {}, { retryable: true });
const notJoined = (): AppError =>
  userError('unavailable', 'room.not-joined', {}, { retryable: true });
const crowded = (): AppError => userError('rate-limited', 'room.crowded', {}, { retryable: true });

const isKickOrMove = (state: VoiceConnectionState): boolean =>
  state.status === VoiceConnectionStatus.Disconnected &&
  state.reason === VoiceConnectionDisconnectReason.WebSocketClose;

/** Joins a voice channel and stays there through network failures, until it has to leave. */
export const openVoiceConnection = (start: Channel, deps: VoiceConnectionDeps) => {
  const { gateway, clock, listener, presentIn } = deps;
  const guildId = start.space.id;
  let channel = start;
  let isConnected = false;
  let hasJoined = false;
  let hasEnded = false;
  /** True once the gateway reports the bot in the channel: earlier events may be outdated. */
  let isThere = false;
  let restricted: VoiceState = { isSuppressed: false, isMuted: false, isDeafened: false };
  let restrictions: Restrictions = { speaking: undefined, hearing: undefined };
  const first = Promise.withResolvers<void>();
  first.promise.catch(() => undefined);
  const renewals = createBudget(RENEWALS.most, RENEWALS.windowMs, clock.nowMs);

  const connection: VoiceConnection = joinVoiceChannel({
    guildId,
    group: deps.group,
    channelId: start.id,
    adapterCreator: gateway.adapterFor(guildId),
    ...HEARING,
  });
  const internals = createInternals(connection, clock);
  /** The parts that end with the connection. */
  const parts = new DisposableStack();
  parts.use(internals);

  const end = (error: AppError | undefined): void => {
    if (hasEnded) return;
    hasEnded = true;
    parts.dispose();
    first.reject(error ?? notJoined());
    if (connection.state.status !== VoiceConnectionStatus.Destroyed) connection.destroy();
    deps.over();
    if (hasJoined) listener.ended(error);
  };

  const rejoin = (): void => {
    connection.rejoin({ ...HEARING, channelId: channel.id });
  };
  /** Leaves and joins again, for another session, other keys and another group. */
  const leaveAndJoin = (): void => {
    isThere = false;
    // A connection that waits for the gateway already does not leave.
    if (!connection.disconnect()) connection.rejoin({ ...HEARING, channelId: null });
    rejoin();
  };
  const renew = (): void => {
    if (!hasEnded && isConnected && renewals.take()) leaveAndJoin();
  };

  const recovery = createRecovery({
    clock,
    rejoin,
    leaveAndJoin,
    lost: () => end(deps.refusalOf(channel) ?? lost()),
  });
  const lifeline = createLifeline(clock, renew);
  parts.use(recovery);
  parts.use(lifeline);

  const tell = (isUp: boolean): void => {
    if (isUp === isConnected) return;
    isConnected = isUp;
    listener.connected(isUp);
  };
  const up = (): void => {
    recovery.up();
    gateway.connected(guildId);
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

  const restrict = (to: VoiceState): void => {
    const isSame = FLAGS.every((flag) => restricted[flag] === to[flag]);
    if (isSame) return;
    restricted = to;
    restrictions = deps.restrictionsAt(restricted, channel);
    listener.restricted(restrictions);
  };
  const presentIds = (): readonly string[] => presentIn(channel).map(({ id }) => id);
  const dave = createDaveReader({
    dave: internals.dave,
    nowMs: clock.nowMs,
    exhausted: renew,
  });
  const receiver = createReceiver({
    key: internals.key,
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
      dave: internals.dave,
      silenced: () => restrictions.speaking,
      nowMs: clock.nowMs,
    }),
    silence: () => connection.setSpeaking(false),
  });
  parts.use(player);
  internals.follow({
    datagram: (message) => {
      if (!lifeline.takes(message)) receiver.datagram(message);
    },
    packet: receiver.packet,
    renewed: () => {
      receiver.renewed();
      dave.renewed();
    },
    failed: dave.failedMessage,
  });
  // The states that follow show the error; without a listener it would end the process.
  connection.on('error', () => undefined);
  connection.on('stateChange', (_, state) => follow(state));
  follow(connection.state);

  return {
    get channel(): Channel {
      return channel;
    },
    /** Resolves when the bot is in the channel; rejects, and stops trying, when it cannot. */
    joined: async (signal: AbortSignal): Promise<void> => {
      const cancel = clock.after(JOIN_MS, () =>
        first.reject(gateway.isCrowded(guildId) ? crowded() : notJoined()),
      );
      try {
        await orAborted(first.promise, signal);
        // The connection may have ended before its start could be reported.
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
    placed: (where: Omit<Whereabouts, 'guildId'>): void => {
      if (hasEnded) return;
      const { channelId } = where;
      if (channelId === undefined) {
        if (isThere) end(undefined);
        return;
      }
      // Before the bot is there, reports of other channels may be outdated.
      if (!isThere && channelId !== channel.id) return;
      isThere = true;
      restrict(where);
      if (channelId === channel.id) return;
      channel = channelOf(guildId, channelId);
      listener.moved(channel);
    },
    /** Notes that the gateway has lost the place of the bot. */
    misplaced: (): void => {
      isThere = false;
      if (!hasEnded) rejoin();
    },
    end: (): void => end(undefined),
    stop: (): void => end(new AppError('cancelled', 'the program is ending')),
    [Symbol.asyncDispose]: async (): Promise<void> => end(undefined),
  };
};
