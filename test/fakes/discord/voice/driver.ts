import type { Channel, User, World } from '../state.ts';
import { joinGuild } from '../population.ts';
import type { Waiters } from '../../wait.ts';
import type { Refusal } from './bot-stream.ts';
import { endsSession } from './codes.ts';
import { createPacer } from './pacer.ts';
import { VoicePerson, type PersonOptions } from './person.ts';
import { VoiceService, type VoiceServiceOptions } from './service.ts';
import { admits, enterVoice } from './states.ts';

/** A voice channel of the driver's. */
interface Place {
  readonly state: Channel;
}

/** What a test does to the voice servers, and sees of them. */
export interface VoiceDriver {
  /** The bot in voice channels: where, and whether a socket of it is identified there. */
  readonly connections: readonly {
    readonly guildId: string;
    readonly channelId: string;
    readonly endpoint: string | undefined;
    readonly connected: boolean;
    /** It has its session description: it can speak and hear. */
    readonly ready: boolean;
    readonly ssrc: number | undefined;
  }[];
  /** IDENTIFYs and RESUMEs that were accepted. */
  readonly identifies: number;
  readonly resumes: number;
  /** Connections that were reset while `refuse` was on. */
  readonly refusals: number;
  /** The packets of the bot that were refused, by reason. */
  readonly refused: Readonly<Partial<Record<Refusal, number>>>;
  /** Cuts every connection, or that of one channel, without a word; sessions can be resumed. */
  drop(place?: Place): void;
  /**
   * Closes every connection, or that of one channel, with a code: all but 4015 and those below 4000
   * end the session.
   */
  close(code: number, place?: Place): void;
  /** True: connections are reset until it is called with false. */
  refuse(refused: boolean): void;
  /** True: heartbeats are not acknowledged. */
  mute(muted: boolean): void;
  /** Whether clients without end-to-end encryption are closed with 4017. Default: where there is any. */
  demandDave(demanded: boolean): void;
  /** Whether a bot that comes is told whose voice is whose, as far as people have spoken. Default true. */
  tellSpeakers(told: boolean): void;
  /** Whether RESUMED comes before what was missed, or after it. Default: before. */
  resumeFirst(first: boolean): void;
  readonly udp: {
    /** True: a black hole, both ways. */
    drop(dropped: boolean): Promise<void>;
  };
  /** The channel gets another voice server: endpoint null, then another address and token. */
  moveRegion(place: Place): Promise<void>;
  /** The two halves of it: no voice server is there for the channel; and another one is. */
  withdraw(place: Place): void;
  allocate(place: Place): Promise<void>;
}

export interface Voice extends VoiceDriver {
  readonly service: VoiceService;
  /** A person comes into a channel; throws where they may not. */
  join(channel: Channel, user: User, options?: PersonOptions): VoicePerson;
  stop(): Promise<void>;
}

export const createVoice = (
  world: World,
  waiters: Waiters,
  options: VoiceServiceOptions = {},
): Voice => {
  const service = new VoiceService(world, waiters, options);
  const pacer = createPacer();
  const { switches, counts } = service;
  const seatsAt = (place: Place | undefined) =>
    service.seats.filter(({ channel }) => place === undefined || channel === place.state);
  return {
    service,
    join: (channel, user, how) => {
      const { guild } = channel;
      if (guild === undefined) throw new Error(`${channel.name} is of no server`);
      if (!guild.members.has(user.id)) joinGuild(world, guild, user, []);
      if (!admits(world, channel, user))
        throw new Error(`${user.name} cannot connect to ${channel.name}`);
      enterVoice(world, channel, user);
      return new VoicePerson({ world, service, pacer }, guild, user, how);
    },
    get connections() {
      return service.seats.map(({ guild, channel, endpoint, session }) => ({
        guildId: guild.id,
        channelId: channel.id,
        endpoint,
        connected: session?.socket !== undefined,
        ready: session?.remote !== undefined,
        ssrc: session?.ssrc,
      }));
    },
    get identifies() {
      return counts.identifies;
    },
    get resumes() {
      return counts.resumes;
    },
    get refusals() {
      return counts.refusals;
    },
    refused: service.intake.refused,
    drop: (place) => {
      for (const { session } of seatsAt(place)) session?.socket?.terminate();
    },
    close: (code, place) => {
      for (const seat of seatsAt(place)) {
        if (endsSession(code)) service.endSeat(seat, code);
        else seat.session?.socket?.close(code);
      }
    },
    refuse: (refused) => {
      switches.refused = refused;
    },
    mute: (muted) => {
      switches.muted = muted;
    },
    demandDave: (demanded) => {
      switches.demandsDave = demanded;
    },
    tellSpeakers: (told) => {
      switches.tellsSpeakers = told;
    },
    resumeFirst: (first) => {
      switches.resumedFirst = first;
    },
    udp: { drop: (dropped) => service.dropUdp(dropped) },
    moveRegion: async ({ state }) => {
      service.withdraw(state);
      await service.allocate(state);
    },
    withdraw: ({ state }) => service.withdraw(state),
    allocate: ({ state }) => service.allocate(state),
    stop: async () => {
      pacer.stop();
      await service.stop();
    },
  };
};
