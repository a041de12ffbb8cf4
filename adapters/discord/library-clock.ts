import type { Client, REST } from 'discord.js';
import { createJumpCheck, realClock } from '../../src/async/clock.ts';

/** Time for which a limit lasts after a jump: that of all requests together is one of a second. */
const LONGEST_MS = 1_000;

/** The part of a bucket of the library that is read: the wall time of its reset, ms since 1970. */
interface Bucket {
  reset: number;
}

/**
 * Creates what keeps the rate limits of REST clients through jumps of the wall clock, on which the library counts: a
 * clock set back by an hour would have every request wait for it. Returns true where there was one since the last call.
 */
export const followClock = (clients: readonly REST[]): (() => boolean) => {
  const check = createJumpCheck(() => Date.now(), realClock);
  return () => {
    if (check() === 0) return false;
    // Some were counted before the jump and some after it. What is requested too early is refused with the time to wait.
    const latestMs = Date.now() + LONGEST_MS;
    for (const client of clients) {
      client.globalReset = Math.min(client.globalReset, latestMs);
      // Others would join a wait that was counted before.
      client.globalDelay = null;
      for (const handler of client.handlers.values()) {
        const bucket = handler as unknown as Bucket;
        bucket.reset = Math.min(bucket.reset, latestMs);
      }
    }
    return true;
  };
};

/** Time in which a connection may send so many messages: "Gateway", "Rate limiting". */
const SENDING_MS = 60_000;

/** The part of a connection of the library: how many messages it may send until a wall time, ms since 1970. */
interface Sending {
  sendRateLimitState?: { resetAt: number };
}

/** Keeps the limits of what a client's connections send through a jump of the wall clock; to be called after each. */
export const boundSending = ({ ws }: Pick<Client, 'ws'>): void => {
  const { _ws: manager } = ws as unknown as {
    readonly _ws?: { readonly strategy: { readonly shards?: ReadonlyMap<number, Sending> } };
  };
  for (const { sendRateLimitState: state } of manager?.strategy.shards?.values() ?? [])
    if (state) state.resetAt = Math.min(state.resetAt, Date.now() + SENDING_MS);
};
