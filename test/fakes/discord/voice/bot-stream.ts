import { OPUS_CLOCK_HZ, parseToc } from '../../../../src/audio/opus/packet.ts';
import { OPUS_PAYLOAD_TYPE, openRtp } from './rtp.ts';

/** Why a packet of the bot was refused. */
export type Refusal =
  /** Of no session. */
  | 'ssrc'
  /** Its key did not open it. */
  | 'seal'
  | 'nonce'
  | 'payload type'
  | 'sequence'
  | 'timestamp'
  /** No op 5 before it, nor soon after it. */
  | 'speaking'
  /** The bot may not speak, or has muted itself. */
  | 'muted'
  /** Nobody in the channel could decrypt it. */
  | 'dave'
  /** Not a packet of 20 ms. */
  | 'opus';

export interface AcceptedPacket {
  readonly sequence: number;
  readonly timestamp: number;
  readonly payload: Uint8Array;
}

/** @discordjs/voice plays packets of 20 ms alone. */
const PACKET_SAMPLES = OPUS_CLOCK_HZ / 50;
const TIMESTAMPS = 2 ** 32;

export const isOnePacket = (opus: Uint8Array): boolean =>
  parseToc(opus)?.samples === PACKET_SAMPLES;

/**
 * Checks what one session sends: each packet follows the one before, in sequence and in time, under
 * a nonce of its own. After a refusal the next packet may be any.
 */
export class BotStream {
  readonly #key: Uint8Array;
  readonly #nonces = new Set<number>();
  #last: { readonly sequence: number; readonly timestamp: number } | undefined;

  constructor(key: Uint8Array) {
    this.#key = key;
  }
  /** Packets were lost on their way: what comes next follows nothing. */
  interrupt(): void {
    this.#last = undefined;
  }
  take(datagram: Buffer): AcceptedPacket | Refusal {
    const packet = openRtp(datagram, this.#key);
    if (packet === undefined) return 'seal';
    if (this.#nonces.has(packet.nonce)) return 'nonce';
    this.#nonces.add(packet.nonce);
    if (packet.payloadType !== OPUS_PAYLOAD_TYPE) return 'payload type';
    const { sequence, timestamp, payload } = packet;
    const last = this.#last;
    this.#last = packet;
    if (last === undefined) return { sequence, timestamp, payload };
    if (sequence !== (last.sequence + 1) % 65_536) return 'sequence';
    const next = last.timestamp + PACKET_SAMPLES;
    // @discordjs/voice begins at 0 again instead of carrying the rest over.
    const fits = timestamp === next % TIMESTAMPS || (next >= TIMESTAMPS && timestamp === 0);
    return fits ? { sequence, timestamp, payload } : 'timestamp';
  }
}
