import { randomBytes, randomInt } from 'node:crypto';
import type { WebSocket } from 'ws';
import type { Json } from '../faults.ts';
import type { Channel, Guild, VoiceChange, World } from '../state.ts';
import type { Waiters } from '../../wait.ts';
import { VoiceClose, endsSession } from './codes.ts';
import { openVoiceConnection } from './connection.ts';
import { VoiceHosts } from './hosts.ts';
import { Intake, type Whereabouts } from './intake.ts';
import { VoiceRoom, type DaveChannel } from './room.ts';
import { VoiceSession } from './session.ts';

/** What VOICE_SERVER_UPDATE offered the bot for one server, and what became of it. */
interface Seat {
  readonly guild: Guild;
  readonly channel: Channel;
  readonly sessionId: string;
  readonly token: string;
  endpoint: string | undefined;
  session: VoiceSession | undefined;
}

export interface VoiceServiceOptions {
  /** Default 13,750, as Discord's. */
  readonly heartbeatMs?: number;
  /** Where the encryption of a channel comes from. Default: no channel is encrypted. */
  readonly dave?: (channelId: string) => DaveChannel;
}

/** The voice servers. Nothing listens before the bot first joins a channel. */
export class VoiceService {
  readonly #world: World;
  readonly #waiters: Waiters;
  readonly #options: VoiceServiceOptions;
  readonly #hosts: VoiceHosts;
  readonly #rooms = new Map<string, VoiceRoom>();
  readonly #seats = new Map<string, Seat>();
  readonly #bySsrc = new Map<number, Seat>();
  #stopped = false;
  readonly intake: Intake;
  readonly counts = { identifies: 0, resumes: 0, refusals: 0 };
  readonly switches = {
    refused: false,
    muted: false,
    demandsDave: false,
    tellsSpeakers: true,
    resumedFirst: true,
  };
  /** Who has spoken since they came to their channel. */
  readonly heard = new Set<string>();

  constructor(world: World, waiters: Waiters, options: VoiceServiceOptions) {
    this.#world = world;
    this.#waiters = waiters;
    this.#options = options;
    this.switches.demandsDave = options.dave !== undefined;
    this.intake = new Intake(
      (session) => this.#whereabouts(session),
      () => world.changed(),
    );
    this.#hosts = new VoiceHosts({
      admits: () => this.#admits(),
      open: (socket, endpoint) => void this.#open(socket, endpoint),
      knows: (ssrc) => this.#bySsrc.has(ssrc),
      packet: (ssrc, datagram) => {
        const session = this.#bySsrc.get(ssrc)?.session;
        if (session) this.intake.take(session, datagram);
        else this.intake.refuse('ssrc');
      },
      loss: (ssrc) => this.#bySsrc.get(ssrc)?.session?.stream.interrupt(),
    });
  }

  get seats(): readonly Seat[] {
    return [...this.#seats.values()];
  }
  room(channel: Channel): VoiceRoom {
    const known = this.#rooms.get(channel.id);
    const dave = known ? undefined : this.#options.dave?.(channel.id);
    const room = known ?? new VoiceRoom(this.#world.bot.id, this.#waiters, dave);
    this.#rooms.set(channel.id, room);
    return room;
  }
  newSsrc(): number {
    return randomInt(1, 2 ** 32);
  }

  /** Somebody came, went, or changed. */
  changed(change: VoiceChange): void {
    if (change.user === this.#world.bot) this.#botChanged(change);
    else this.#personChanged(change);
    this.#world.changed();
  }
  #botChanged({ guild, before, after, asked }: VoiceChange): void {
    const seat = this.#seats.get(guild.id);
    const isElsewhere =
      before?.channel !== after?.channel || before?.sessionId !== after?.sessionId;
    const isAlone = seat?.session?.socket === undefined;
    if (isElsewhere && seat) this.endSeat(seat, VoiceClose.Disconnected);
    if (!after) this.#seats.delete(guild.id);
    else if (isElsewhere || (asked && isAlone)) this.#reseat(guild, after.channel, after.sessionId);
  }
  #personChanged({ user, before, after }: VoiceChange): void {
    if (before?.channel === after?.channel) return;
    if (before) this.room(before.channel).leave(user.id);
    this.heard.delete(user.id);
    if (after) this.room(after.channel).enter(user.id, this.newSsrc());
  }

  #reseat(guild: Guild, channel: Channel, sessionId: string): void {
    const old = this.#seats.get(guild.id);
    if (old) this.endSeat(old, VoiceClose.Disconnected);
    const token = randomBytes(8).toString('hex');
    const seat = { guild, channel, sessionId, token, endpoint: undefined, session: undefined };
    this.#seats.set(guild.id, seat);
    void this.#offer(seat);
  }
  async #offer(seat: Seat): Promise<void> {
    const endpoint = await this.#hosts.endpointOf(seat.channel.id);
    if (this.#stopped || this.#seats.get(seat.guild.id) !== seat) return;
    seat.endpoint = endpoint;
    this.#tellServer(seat, endpoint);
  }
  #tellServer({ guild, token }: Seat, endpoint: string | null): void {
    this.#world.emit({
      t: 'VOICE_SERVER_UPDATE',
      intents: 0,
      guildId: guild.id,
      d: () => ({ token, guild_id: guild.id, endpoint }),
    });
  }

  /** The voice server of a channel is taken away: endpoint null. */
  withdraw(channel: Channel): void {
    const seat = this.seats.find((one) => one.channel === channel);
    if (seat === undefined) return;
    seat.endpoint = undefined;
    this.#tellServer(seat, null);
    this.endSeat(seat, VoiceClose.Disconnected);
  }
  /** Another voice server is there for it, at another address. */
  async allocate(channel: Channel): Promise<void> {
    this.#hosts.move(channel.id);
    await this.#hosts.endpointOf(channel.id);
    const seat = this.seats.find((one) => one.channel === channel);
    if (seat) this.#reseat(seat.guild, channel, seat.sessionId);
  }

  /** The session there is over and cannot be resumed. */
  endSeat(seat: Seat, code: number): void {
    const { session } = seat;
    if (session === undefined) return;
    const { socket } = session;
    seat.session = undefined;
    session.socket = undefined;
    this.#bySsrc.delete(session.ssrc);
    this.room(seat.channel).dismiss(session);
    this.intake.end(session);
    socket?.close(code);
  }
  #seatOf(session: VoiceSession): Seat | undefined {
    return this.#bySsrc.get(session.ssrc);
  }
  #roomOf(session: VoiceSession): VoiceRoom | undefined {
    const seat = this.#seatOf(session);
    return seat && this.room(seat.channel);
  }
  #whereabouts(session: VoiceSession): Whereabouts | undefined {
    const seat = this.#seatOf(session);
    const state = seat?.guild.voiceStates.get(this.#world.bot.id);
    return seat && state && { state, room: this.room(seat.channel) };
  }

  #admits(): boolean {
    const { refused } = this.switches;
    if (refused) this.counts.refusals += 1;
    if (refused) this.#world.changed();
    return !refused;
  }
  async #open(socket: WebSocket, endpoint: string): Promise<void> {
    const udp = await this.#hosts.udp;
    openVoiceConnection(socket, {
      heartbeatMs: this.#options.heartbeatMs ?? 13_750,
      address: { ip: '127.0.0.1', port: udp.port },
      isMuted: () => this.switches.muted,
      resumedFirst: this.switches.resumedFirst,
      identify: (own, d) => this.#identify(own, endpoint, d),
      resume: (own, d) => this.#resume(own, endpoint, d),
      welcome: (session) => {
        const known = this.switches.tellsSpeakers ? this.heard : new Set<string>();
        this.#roomOf(session)?.admit(session, known);
      },
      daveVersion: (session) => this.#roomOf(session)?.daveVersion(session) ?? 0,
      described: (session) => {
        this.#roomOf(session)?.connectBot(session);
        this.#world.changed();
      },
      announced: (session) => this.intake.announce(session),
      dave: (session, message) => this.#roomOf(session)?.receiveDave(session, message),
      closed: (session, own, code) => this.#closed(session, own, code),
      timedOut: (session) => {
        const seat = session && this.#seatOf(session);
        if (seat) this.endSeat(seat, VoiceClose.SessionTimeout);
      },
    });
  }
  /** Whose IDENTIFY or RESUME it is, or why it is nobody's. */
  #seatFor(endpoint: string, d: Json): Seat | number {
    const guildId = String(d['server_id']);
    const seat = this.#seats.get(guildId);
    if (!this.#world.guilds.has(guildId)) return VoiceClose.ServerNotFound;
    if (seat?.sessionId !== d['session_id'] || seat?.endpoint !== endpoint)
      return VoiceClose.SessionNoLongerValid;
    return seat.token === d['token'] ? seat : VoiceClose.AuthenticationFailed;
  }
  #identify(socket: WebSocket, endpoint: string, d: Json): VoiceSession | number {
    const seat = this.#seatFor(endpoint, d);
    if (typeof seat === 'number') return seat;
    if (d['user_id'] !== this.#world.bot.id) return VoiceClose.AuthenticationFailed;
    const dave = Number(d['max_dave_protocol_version'] ?? 0);
    if (this.switches.demandsDave && dave < 1) return VoiceClose.DaveRequired;
    this.endSeat(seat, VoiceClose.SessionNoLongerValid);
    seat.session = new VoiceSession(this.newSsrc(), dave, socket);
    this.#bySsrc.set(seat.session.ssrc, seat);
    this.counts.identifies += 1;
    this.#world.changed();
    return seat.session;
  }
  #resume(socket: WebSocket, endpoint: string, d: Json): VoiceSession | number {
    const seat = this.#seatFor(endpoint, d);
    if (typeof seat === 'number') return seat;
    const { session } = seat;
    if (session === undefined) return VoiceClose.SessionNoLongerValid;
    session.socket?.terminate();
    session.socket = socket;
    this.counts.resumes += 1;
    this.#world.changed();
    return session;
  }
  #closed(session: VoiceSession, socket: WebSocket, code: number): void {
    if (session.socket !== socket) return;
    session.socket = undefined;
    const seat = this.#seatOf(session);
    // A client that closes with these is done; after any other end it may resume.
    if (seat && (code === 1000 || code === 1001 || endsSession(code))) this.endSeat(seat, code);
    this.#world.changed();
  }

  /** Hands a datagram over to the bot of a session. */
  async send(session: VoiceSession, datagram: Buffer): Promise<void> {
    if (session.remote) (await this.#hosts.udp).send(datagram, session.remote);
  }
  async dropUdp(dropped: boolean): Promise<void> {
    (await this.#hosts.udp).drop(dropped);
  }
  async stop(): Promise<void> {
    this.#stopped = true;
    await this.#hosts.stop();
  }
}
