import { SILENCE_PACKET } from '../../../../src/audio/opus/packet.ts';
import type { Waiters } from '../../wait.ts';
import { isOnePacket, type AcceptedPacket, type Refusal } from './bot-stream.ts';
import { VoiceOp } from './codes.ts';
import type { DaveGroup, DaveMessage, DavePerson } from './dave/port.ts';
import { Recording } from './recording.ts';
import type { VoiceSession } from './session.ts';

/** The end-to-end encryption of one channel: the server's part, and the clients of its people. */
export interface DaveChannel {
  readonly group: DaveGroup;
  /** Somebody's client, ready for `group.connect`. */
  person(userId: string): DavePerson;
}

interface Present {
  ssrc: number;
  /** False: their SSRC is never told. */
  announce: boolean;
  readonly dave: DavePerson | undefined;
}

const isSilence = (packet: Uint8Array): boolean => Buffer.compare(packet, SILENCE_PACKET) === 0;

const introduce = (session: VoiceSession, userIds: readonly string[]): void => {
  session.tell(VoiceOp.ClientsConnect, { user_ids: userIds });
  for (const userId of userIds) {
    session.tell(VoiceOp.ClientFlags, { user_id: userId, flags: 2 });
    session.tell(VoiceOp.ClientPlatform, { user_id: userId, platform: 0 });
  }
};

/** What happens on the voice server of one channel: who is connected, and what they send. */
export class VoiceRoom {
  readonly botId: string;
  readonly recording: Recording;
  readonly #dave: DaveChannel | undefined;
  readonly #people = new Map<string, Present>();
  bot: VoiceSession | undefined;
  /** The bot has its session description and takes part in the encryption. */
  #botIsMember = false;

  constructor(botId: string, waiters: Waiters, dave: DaveChannel | undefined) {
    this.botId = botId;
    this.recording = new Recording(waiters);
    this.#dave = dave;
  }

  person(userId: string): Present | undefined {
    return this.#people.get(userId);
  }
  enter(userId: string, ssrc: number): void {
    const dave = this.#dave?.person(userId);
    this.#people.set(userId, { ssrc, announce: true, dave });
    if (this.bot) introduce(this.bot, [userId]);
    if (dave) this.#dave?.group.connect(dave);
  }
  leave(userId: string): void {
    if (!this.#people.delete(userId)) return;
    this.#dave?.group.disconnect(userId);
    this.bot?.told.delete(userId);
    this.bot?.tell(VoiceOp.ClientDisconnect, { user_id: userId });
  }

  /** The bot has identified. Whose SSRC is `known` is told at once. */
  admit(session: VoiceSession, known: ReadonlySet<string>): void {
    this.bot = session;
    if (this.#people.size > 0) introduce(session, [...this.#people.keys()]);
    for (const [userId, { ssrc, announce }] of this.#people)
      if (announce && known.has(userId)) session.tellSpeaker(userId, ssrc);
  }
  daveVersion(session: VoiceSession): number {
    return Math.min(session.daveVersion, this.#dave?.group.version ?? 0);
  }
  /** The bot has its session description. */
  connectBot(session: VoiceSession): void {
    if (this.bot !== session || this.#dave === undefined) return;
    this.#botIsMember = true;
    const client = { userId: this.botId, send: (one: DaveMessage) => session.tellDave(one) };
    this.#dave.group.connect(client, { dave: session.daveVersion > 0 });
  }
  dismiss(session: VoiceSession): void {
    if (this.bot !== session) return;
    this.bot = undefined;
    if (this.#botIsMember) this.#dave?.group.disconnect(this.botId);
    this.#botIsMember = false;
  }
  receiveDave(session: VoiceSession, message: DaveMessage): void {
    if (this.bot === session) this.#dave?.group.receive(this.botId, message);
  }

  /** As people hear it: decrypted by the first who can. */
  #open(payload: Uint8Array): Uint8Array | undefined {
    if ((this.#dave?.group.version ?? 0) === 0 || isSilence(payload)) return payload;
    for (const { dave } of this.#people.values()) {
      const opus = dave?.decrypt(payload, this.botId);
      if (opus !== undefined) return opus;
    }
    return undefined;
  }
  record(packet: AcceptedPacket, atMs: number): Refusal | undefined {
    const opus = this.#open(packet.payload);
    if (opus === undefined) return 'dave';
    if (!isOnePacket(opus)) return 'opus';
    const { sequence, timestamp } = packet;
    this.recording.packets.push({ atMs, sequence, timestamp, opus: Uint8Array.from(opus) });
    return undefined;
  }
  /** A packet as the client of somebody here sends it; undefined while it has no keys to send with. */
  encrypt(userId: string, packet: Uint8Array): Uint8Array | undefined {
    const dave = this.#people.get(userId)?.dave;
    if (dave?.ready === false) return undefined;
    return dave === undefined || isSilence(packet) ? packet : dave.encrypt(packet);
  }
}
