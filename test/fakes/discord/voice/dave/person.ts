import davey from '@snazzah/davey';
import { readWelcome } from './commit.ts';
import { createDaveGroup } from './group.ts';
import { referenceOf } from './mls.ts';
import type { DaveDriver, DaveGroup, DaveMessage, DavePerson } from './port.ts';

const SILENCE = Buffer.from([0xf8, 0xff, 0xfe]);
/** How every encrypted frame ends (daveprotocol.com, "Magic Marker"). */
const MARKER = Buffer.from([0xfa, 0xfa]);

export interface DavePersonOptions {
  /**
   * When new keys are used for sending. `on-execute` (default): with op 22, as Discord's own client
   * does. `at-once`: as soon as they are there, as bots with davey do; others may lose packets.
   */
  readonly keys?: 'on-execute' | 'at-once';
  /** Encrypts with a key of a group of its own: nobody can ever decrypt it. */
  readonly strange?: boolean;
}

/** The server, as far as a client needs it. */
export type Server = Pick<DaveGroup, 'receive'> & Pick<DaveDriver, 'channelId'>;

/** A sender in a group that nobody else is in. */
const createStranger = (userId: string, channelId: string): DavePerson => {
  const elsewhere = createDaveGroup({ channelId });
  const stranger = createDavePerson(elsewhere, userId);
  elsewhere.connect(stranger);
  elsewhere.connect(createDavePerson(elsewhere, '1'));
  return stranger;
};

/** For one connection: who comes again is a new person. */
class Person implements DavePerson {
  readonly userId: string;
  readonly #group: Server;
  readonly #options: DavePersonOptions;
  readonly #stranger: DavePerson | undefined;
  #session: davey.DAVESession | undefined;
  /** What was before the group was made anew: packets of it are still under way. */
  #earlier: davey.DAVESession | undefined;
  #externalSender: Buffer | undefined;
  /** What outgoing packets are encrypted with. */
  #sending: davey.DAVESession | undefined;
  /** Packets that are not encrypted are let through. */
  #open = true;
  /** A commit that waits for op 22, because davey sends with its keys from then on. */
  #held: { readonly id: number; readonly commit: Buffer } | undefined;
  readonly #pending = new Map<number, number>();
  /** Names the key package that it can be added by. */
  #invitation = '';

  constructor(group: Server, userId: string, options: DavePersonOptions) {
    this.#group = group;
    this.userId = userId;
    this.#options = options;
    this.#stranger = options.strange === true ? createStranger(userId, group.channelId) : undefined;
  }

  get ready(): boolean {
    return this.#open || this.#sending?.ready === true;
  }

  encrypt(packet: Uint8Array): Uint8Array {
    const bytes = Buffer.from(packet);
    if (bytes.equals(SILENCE) || this.#sending?.ready !== true) return packet;
    return this.#stranger?.encrypt(packet) ?? this.#sending.encryptOpus(bytes);
  }

  decrypt(packet: Uint8Array, fromId: string): Uint8Array | undefined {
    const bytes = Buffer.from(packet);
    if (bytes.equals(SILENCE)) return packet;
    if (!bytes.subarray(-2).equals(MARKER)) return this.#open ? packet : undefined;
    const plain = this.#tryDecrypt(bytes, fromId);
    if (plain !== undefined || this.#held === undefined) return plain;
    // The sender has the new keys already.
    this.#applyHeld();
    return this.#tryDecrypt(bytes, fromId);
  }

  send(message: DaveMessage): void {
    switch (message.op) {
      case 21:
        this.#prepare(Number(message.d['transition_id']), Number(message.d['protocol_version']));
        break;
      case 22:
        this.#execute(Number(message.d['transition_id']));
        break;
      case 24:
        if (message.d['epoch'] === 1) this.#begin();
        break;
      case 25:
        this.#meet(Buffer.from(message.bytes));
        break;
      case 27:
        this.#propose(Buffer.from(message.bytes));
        break;
      case 29:
      case 30:
        this.#enter(message.op, Buffer.from(message.bytes));
        break;
      case 23:
      case 26:
      case 28:
      case 31:
        throw new Error(`op ${message.op} is for the server`);
    }
  }

  #say(message: DaveMessage): void {
    this.#group.receive(this.userId, message);
  }

  #tryDecrypt(packet: Buffer, fromId: string): Uint8Array | undefined {
    for (const session of [this.#session, this.#earlier]) {
      try {
        if (session?.ready === true) return session.decrypt(fromId, davey.MediaType.AUDIO, packet);
      } catch {
        // Neither of them may have its key.
      }
    }
    return undefined;
  }

  /** A fresh key package, and a fresh group of one as soon as the external sender is known. */
  #begin(): void {
    const session = new davey.DAVESession(1, this.userId, this.#group.channelId);
    if (this.#externalSender !== undefined) session.setExternalSender(this.#externalSender);
    this.#earlier = this.#session;
    this.#session = session;
    this.#held = undefined;
    if (this.#options.keys === 'at-once') this.#sending = undefined;
    const bytes = session.getSerializedKeyPackage();
    this.#invitation = referenceOf('KeyPackage', bytes);
    this.#say({ op: 26, bytes });
  }

  #meet(externalSender: Buffer): void {
    this.#externalSender = externalSender;
    if (this.#session !== undefined) {
      if (this.#session.status < davey.SessionStatus.AWAITING_RESPONSE)
        this.#session.setExternalSender(externalSender);
      return;
    }
    this.#open = false;
    this.#begin();
  }

  #propose(payload: Buffer): void {
    this.#applyHeld();
    try {
      const { commit, welcome } =
        this.#session?.processProposals(payload.readUInt8(), payload.subarray(1)) ?? {};
      if (commit !== undefined)
        this.#say({ op: 28, bytes: Buffer.concat([commit, welcome ?? Buffer.alloc(0)]) });
    } catch {
      // They are of a group that this client has left behind.
    }
  }

  #enter(op: 29 | 30, payload: Buffer): void {
    const id = payload.readUInt16BE();
    const message = payload.subarray(2);
    this.#applyHeld();
    if (op === 29 && id !== 0 && this.#options.keys !== 'at-once')
      this.#held = { id, commit: message };
    else if (!this.#process(op, id, message)) return;
    this.#pending.set(id, 1);
    if (id === 0) this.#execute(id);
    else this.#say({ op: 23, d: { transition_id: id } });
  }

  #process(op: 29 | 30, id: number, message: Buffer): boolean {
    // What is for a key package, or of a group, that this client has left behind.
    if (op === 30 && !readWelcome(message).recipients.includes(this.#invitation)) return false;
    if (op === 29 && this.#session?.status === davey.SessionStatus.PENDING) return false;
    try {
      if (op === 29) this.#session?.processCommit(message);
      else this.#session?.processWelcome(message);
      if (this.#options.keys === 'at-once') this.#sending = this.#session;
      return true;
    } catch {
      this.#say({ op: 31, d: { transition_id: id } });
      this.#begin();
      return false;
    }
  }

  #applyHeld(): void {
    const held = this.#held;
    this.#held = undefined;
    if (held !== undefined) this.#process(29, held.id, held.commit);
  }

  #prepare(id: number, version: number): void {
    if (id === 0) {
      // Alone, or not encrypted any more.
      this.#open = version === 0;
      this.#sending = undefined;
      return;
    }
    this.#pending.set(id, version);
    if (version === 0) this.#open = true;
    this.#say({ op: 23, d: { transition_id: id } });
  }

  #execute(id: number): void {
    const version = this.#pending.get(id);
    this.#pending.delete(id);
    if (version === undefined) return;
    if (this.#held?.id === id) this.#applyHeld();
    this.#open = version === 0;
    if (version === 0) this.#sending = undefined;
    else if (this.#session?.ready === true) this.#sending = this.#session;
  }
}

/** A person's client, a whole member of the group; `group.connect` brings it in. */
export const createDavePerson = (
  group: Server,
  userId: string,
  options: DavePersonOptions = {},
): DavePerson => new Person(group, userId, options);
