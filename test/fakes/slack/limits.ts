import type { Clock } from './clock.ts';
import { rateLimited } from './errors.ts';

/** So many calls within a window. */
export interface Rate {
  readonly count: number;
  readonly windowMs: number;
}

const perMinute = (count: number): Rate => ({ count, windowMs: 60_000 });

/** The tiers of methods (docs.slack.dev, "Rate limits"). */
export const TIER = {
  1: perMinute(1),
  2: perMinute(20),
  3: perMinute(50),
  4: perMinute(100),
} as const;
/** Methods with limits of their own of "several hundred a minute". */
export const SPECIAL = perMinute(600);
/** `chat.postMessage`: one a second a channel. */
export const POSTS: Rate = { count: 1, windowMs: 1_000 };
/** `conversations.history` of commercial apps outside the Marketplace. */
export const LIMITED_HISTORY = perMinute(1);
/** Events of one workspace ("Events API", "Rate limiting"). */
export const EVENTS: Rate = { count: 30_000, windowMs: 3_600_000 };

interface Window {
  used: number;
  endsAt: number;
}

export interface Limits {
  /** Counts one use; throws `ratelimited` above the rate. */
  take(key: string, rate: Rate): void;
  /** Counts one use; false above the rate. */
  allows(key: string, rate: Rate): boolean;
}

/** Windows are `speed` times shorter than Slack's; the told wait is in Slack's time, whole seconds. */
export const createLimits = (clock: Clock, speed: number, off: boolean): Limits => {
  const windows = new Map<string, Window>();
  const waitFor = (key: string, { count, windowMs }: Rate): number => {
    const now = clock.now();
    let window = windows.get(key);
    if (!window || window.endsAt <= now) {
      window = { used: 0, endsAt: now + windowMs / speed };
      windows.set(key, window);
    }
    window.used += 1;
    return window.used > count ? window.endsAt - now : 0;
  };
  return {
    take: (key, rate) => {
      const waitMs = off ? 0 : waitFor(key, rate);
      if (waitMs > 0) throw rateLimited(Math.max(1, Math.ceil((waitMs * speed) / 1_000)));
    },
    allows: (key, rate) => off || waitFor(key, rate) === 0,
  };
};
