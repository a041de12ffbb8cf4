import { randomBytes } from 'node:crypto';
import type { WebSocket } from 'ws';
import { VoiceOp } from './codes.ts';
import { BotStream } from './bot-stream.ts';
import type { DaveMessage } from './dave/port.ts';
import { sealReport, sealRtp, type RtpPacket } from './rtp.ts';

/** Messages kept for a RESUME. */
const KEPT = 1000;

/** The bot on a voice server, from its IDENTIFY until it is gone for good: over all its sockets. */
export class VoiceSession {
  readonly ssrc: number;
  /** What the client says it can: 0 for none. */
  readonly daveVersion: number;
  readonly key: Uint8Array = randomBytes(32);
  readonly stream: BotStream = new BotStream(this.key);
  /** Whose SSRC it was told. */
  readonly told = new Set<string>();
  /** Where its UDP packets go, once it has selected the protocol. */
  remote: { readonly address: string; readonly port: number } | undefined;
  /** It has said that it speaks (op 5). */
  announced = false;
  /** What came before it said so: the socket may be slower than UDP. */
  early: { readonly atMs: number; readonly datagram: Buffer }[] = [];
  socket: WebSocket | undefined;
  #sent: { readonly seq: number; readonly data: string | Buffer }[] = [];
  readonly #readers = new Map<string, () => void>();
  #pings = 0;
  #seq = 0;
  #lost = 0;
  #nonce = 0;

  constructor(ssrc: number, daveVersion: number, socket: WebSocket) {
    this.ssrc = ssrc;
    this.daveVersion = daveVersion;
    this.socket = socket;
  }

  #write(data: string | Buffer): void {
    if (this.socket?.readyState === 1) this.socket.send(data);
  }
  #keep(data: string | Buffer): void {
    this.#sent.push({ seq: this.#seq, data });
    if (this.#sent.length > KEPT) this.#lost = this.#sent.shift()!.seq;
    this.#write(data);
  }
  /** What is numbered, and sent again after a RESUME if it was lost. */
  tell(op: number, d: unknown): void {
    this.#seq += 1;
    this.#keep(JSON.stringify({ seq: this.#seq, op, d }));
  }
  tellDave(message: DaveMessage): void {
    if ('d' in message) return this.tell(message.op, message.d);
    this.#seq += 1;
    const head = Buffer.alloc(3);
    head.writeUInt16BE(this.#seq % 65_536);
    head[2] = message.op;
    this.#keep(Buffer.concat([head, message.bytes]));
  }
  tellSpeaker(userId: string, ssrc: number): void {
    this.told.add(userId);
    this.tell(VoiceOp.Speaking, { user_id: userId, ssrc, speaking: 1 });
  }
  /** Resolves when the client has read what it was told so far, or its socket is gone. */
  async read(): Promise<void> {
    const { socket } = this;
    if (socket?.readyState !== 1) return;
    this.#pings += 1;
    const ping = String(this.#pings);
    await new Promise<void>((resolve) => {
      this.#readers.set(ping, resolve);
      socket.ping(ping);
    });
  }
  /** The client has answered a ping; without one: its socket is gone. */
  pong(ping?: string): void {
    for (const one of ping === undefined ? this.#readers.keys() : [ping]) {
      this.#readers.get(one)?.();
      this.#readers.delete(one);
    }
  }
  /** It has all up to `seq`, and cannot ask for that again; false where that was never sent. */
  acknowledge(seq: number): boolean {
    if (!Number.isInteger(seq) || seq > this.#seq) return false;
    this.#lost = Math.max(this.#lost, seq);
    this.#sent = this.#sent.filter((one) => one.seq > seq);
    return true;
  }
  /** What came after `seq`, again; false where that is no longer known. */
  replay(seq: number): boolean {
    if (Math.max(seq, 0) < this.#lost || seq > this.#seq) return false;
    for (const one of this.#sent) if (one.seq > seq) this.#write(one.data);
    return true;
  }
  seal(packet: RtpPacket, key = this.key): Buffer {
    this.#nonce += 1;
    return sealRtp(packet, key, this.#nonce);
  }
  /** RTCP, which comes between the RTP packets. */
  report(ssrc: number): Buffer {
    this.#nonce += 1;
    return sealReport(ssrc, this.key, this.#nonce);
  }
}
