import { randomUUID } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import { Intent, Opcode } from '../codes.ts';
import type { WebSocket } from 'ws';
import type { Json } from '../faults.ts';
import type { GatewayEvent } from '../state.ts';

/** What becomes of an event on its way. */
export type EventFault =
  /** Never arrives, not with a RESUME either. */
  | 'drop'
  /** Arrives twice. */
  | 'duplicate'
  /** Arrives after the event that follows it. */
  | 'swap'
  | { readonly delayMs: number };

/** What one session was sent; kept for its RESUME. */
export class Session {
  readonly id = randomUUID().replaceAll('-', '');
  readonly intents: number;
  readonly shard: readonly [id: number, count: number];
  /** Name of the client, where it uses `urlFor`. */
  readonly client: string;
  readonly #compress: boolean;
  readonly #keep: number;
  readonly #sent: { readonly s: number; readonly text: string }[] = [];
  #held: { readonly t: string; readonly d: Json }[] = [];
  #seq = 0;
  #lost = 0;
  socket: WebSocket | undefined;
  /** When its connection went, on the fake's clock. */
  goneAt: number | undefined;

  constructor(options: {
    intents: number;
    shard: readonly [number, number];
    client: string;
    compress: boolean;
    keep: number;
    socket: WebSocket;
  }) {
    this.intents = options.intents;
    this.shard = options.shard;
    this.client = options.client;
    this.socket = options.socket;
    this.#compress = options.compress;
    this.#keep = options.keep;
  }

  get seq(): number {
    return this.#seq;
  }

  /** Whether a server is of its shard; what is of no server is for the first shard. */
  serves(guildId: string | undefined): boolean {
    const [id, count] = this.shard;
    return id === (guildId === undefined ? 0 : Number((BigInt(guildId) >> 22n) % BigInt(count)));
  }

  /** Whether an event is for this session: by shard and by intent. */
  wants({ guildId, intents }: GatewayEvent): boolean {
    return this.serves(guildId) && (intents === 0 || (this.intents & intents) !== 0);
  }

  get readsContent(): boolean {
    return (this.intents & Intent.MessageContent) !== 0;
  }

  dispatch(t: string, d: Json, fault?: EventFault): void {
    if (fault === 'swap') {
      this.#held.push({ t, d });
      return;
    }
    if (fault === 'drop') {
      this.#seq += 1;
      return;
    }
    if (typeof fault === 'object') {
      setTimeout(() => this.dispatch(t, d), fault.delayMs).unref();
      return;
    }
    this.#put(t, d);
    if (fault === 'duplicate') this.#put(t, d);
    const held = this.#held;
    this.#held = [];
    for (const one of held) this.#put(one.t, one.d);
  }

  #put(t: string, d: Json): void {
    this.#seq += 1;
    const text = JSON.stringify({ op: Opcode.Dispatch, s: this.#seq, t, d });
    this.#sent.push({ s: this.#seq, text });
    if (this.#sent.length > this.#keep) this.#lost = this.#sent.shift()?.s ?? this.#lost;
    this.write(text);
  }

  /** Sends what came after `seq` again; false where that is no longer known. */
  replay(seq: number): boolean {
    if (seq < this.#lost) return false;
    for (const one of this.#sent) if (one.s > seq) this.write(one.text);
    return true;
  }

  write(text: string): void {
    if (this.socket?.readyState !== 1) return;
    this.socket.send(this.#compress ? deflateSync(text) : text);
  }
}
