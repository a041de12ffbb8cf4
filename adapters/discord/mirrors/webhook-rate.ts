import { sleep, type Clock } from '../../../src/async/clock.ts';
import { WEBHOOK_BURST as BURST, WEBHOOK_STEADY as STEADY } from '../limits.ts';

/** The other side's windows begin when a request arrives there, later than it is counted here. */
const MARGIN_MS = 100;

/** Counts what webhooks post in each channel. We have one webhook a channel. */
export interface WebhookRate {
  /** The number of posts that can be made now if at most one burst window is waited for. */
  room(channelId: string): number;
  /** Discord refused a post: treat the channel's minute as used up for `forMs`. */
  exhaust(channelId: string, forMs: number): void;
  /** Waits for the burst's window, then counts one post. */
  take(channelId: string, signal?: AbortSignal): Promise<void>;
}

export const createWebhookRate = (clock: Clock): WebhookRate => {
  const { nowMs } = clock;
  const posts = new Map<string, number[]>();

  const recent = (channelId: string): number[] => {
    const since = nowMs() - STEADY.windowMs - MARGIN_MS;
    const times = (posts.get(channelId) ?? []).filter((at) => at > since);
    // In the order of their last use, so that the first ones are the idle ones.
    posts.delete(channelId);
    if (times.length > 0) posts.set(channelId, times);
    for (const [id, [...others]] of posts) {
      if ((others.at(-1) ?? 0) > since) break;
      posts.delete(id);
    }
    return times;
  };

  const inBurst = (times: readonly number[]): readonly number[] =>
    times.filter((at) => at > nowMs() - BURST.windowMs - MARGIN_MS);

  return {
    exhaust: (channelId, forMs) => {
      // As if posted late enough to leave the window when it is over.
      const at = nowMs() - STEADY.windowMs + Math.min(forMs, STEADY.windowMs);
      posts.set(
        channelId,
        Array.from({ length: STEADY.posts }, () => at),
      );
    },
    room: (channelId) => {
      const times = recent(channelId);
      const burst = 2 * BURST.posts - inBurst(times).length;
      return Math.max(0, Math.min(STEADY.posts - times.length, burst));
    },
    take: async (channelId, signal) => {
      for (;;) {
        const burst = inBurst(recent(channelId));
        const oldest = burst[burst.length - BURST.posts];
        if (oldest === undefined) break;
        const freeMs = oldest + BURST.windowMs + MARGIN_MS;
        await sleep(clock, Math.max(1, freeMs - nowMs()), signal);
      }
      const times = recent(channelId);
      posts.set(channelId, [...times, nowMs()]);
    },
  };
};
