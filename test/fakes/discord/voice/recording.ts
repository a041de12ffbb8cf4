import type { Waiters } from '../../wait.ts';

/** A packet of the bot as people in the channel would hear it. */
export interface PlayedPacket {
  /** When it arrived, as of `performance.now()`. */
  readonly atMs: number;
  readonly sequence: number;
  readonly timestamp: number;
  /** Decrypted, where the channel is encrypted. */
  readonly opus: Uint8Array;
}

/** What the bot played in one channel, over all its connections there. */
export class Recording {
  readonly #waiters: Waiters;
  /** In the order of arrival. Clear it with `length = 0`. */
  readonly packets: PlayedPacket[] = [];

  constructor(waiters: Waiters) {
    this.#waiters = waiters;
  }
  /** Resolves with the packets as soon as `holds` is true of them. */
  async until(
    holds: (packets: readonly PlayedPacket[]) => boolean,
    timeoutMs?: number,
  ): Promise<readonly PlayedPacket[]> {
    return this.#waiters.until(
      () => (holds(this.packets) ? this.packets : false),
      () => `${this.packets.length} packets played`,
      timeoutMs,
    );
  }
}
