import { sleep, type Clock } from '../../src/async/clock.ts';
import { createLru } from '../../src/async/lru.ts';
import type { Space } from '../../src/model/place.ts';
import { POST_EVERY_MS } from './limits.ts';

const POST = 'chat.postMessage';
/** Methods and channels whose next free moment is remembered. */
const REMEMBERED = 10_000;

/** Says when a method may be called next: posts by their channel, other methods by their workspace. */
export interface Paces {
  /** Waits for the turn of a call. Rejects with the signal's reason. */
  take(space: Space, method: string, channel: unknown, signal?: AbortSignal): Promise<void>;
  /** Has the next calls wait, as Slack said. */
  hold(space: Space, method: string, channel: unknown, waitMs: number): void;
}

const keyOf = (space: Space, method: string, channel: unknown): string =>
  `${space.id} ${method}${method === POST ? ` ${String(channel)}` : ''}`;

export const createPaces = (clock: Clock, speed: number): Paces => {
  const freeAtMs = createLru<string, number>(REMEMBERED);
  return {
    take: async (space, method, channel, signal) => {
      const key = keyOf(space, method, channel);
      signal?.throwIfAborted();
      const now = clock.nowMs();
      const at = Math.max(now, freeAtMs.get(key) ?? 0);
      if (method === POST) freeAtMs.set(key, at + POST_EVERY_MS / speed);
      if (at > now) await sleep(clock, at - now, signal);
    },
    hold: (space, method, channel, waitMs) => {
      const key = keyOf(space, method, channel);
      freeAtMs.set(key, Math.max(freeAtMs.get(key) ?? 0, clock.nowMs() + waitMs));
    },
  };
};
