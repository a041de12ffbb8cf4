import { type Backoff, backoffMs } from '../../async/clock.ts';
import type { AppError } from '../../errors.ts';
import type { EditRate } from '../../ports/voice.ts';

/** Edits that are reserved for final captions. */
const RESERVED = 2;

/** Divides the edits that a platform allows, urgent ones first. */
export const createEditPace = ({ count, windowMs }: EditRate) => {
  let times: number[] = [];
  const freedMs = (most: number): number => (times.at(-most) ?? -Infinity) + windowMs;
  return {
    /** Least time between two edits that are not urgent. */
    evenMs: windowMs / count,
    /** The earliest time of the next edit; one that is not urgent leaves some for those that are. */
    freeAtMs: (nowMs: number, isUrgent: boolean): number =>
      Math.max(nowMs, freedMs(isUrgent ? count : Math.max(1, count - RESERVED))),
    used: (nowMs: number): void => {
      times = [...times, nowMs].slice(-count);
    },
  };
};

/** Waits after failures for which the platform names no time. */
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
/** Waits while the channel refuses: Discord bans whoever is refused too often. */
const REFUSED_BACKOFF: Backoff = { firstMs: 30_000, longestMs: 300_000 };
/** Least wait after a refusal, even when permissions change meanwhile. */
const REFUSED_MS = 5_000;
/** Time for which lines wait for a channel that refuses; then they are counted, not shown. */
const LONGEST_REFUSED_MS = 60_000;

/** The answers of a channel to the latest requests; times on the room's clock. */
export interface ChannelState {
  /** Failures in a row. */
  readonly failures: number;
  /** The earliest time of the next request. */
  readonly blockedUntilMs: number;
  /** The first refusal in a row, and the last one. */
  readonly refused: { readonly sinceMs: number; readonly lastMs: number } | undefined;
}

type ChannelEvent =
  | { readonly kind: 'accepted' | 'permissions-changed' }
  | { readonly kind: 'failed'; readonly error: AppError; readonly nowMs: number };

export const OPEN_CHANNEL: ChannelState = {
  failures: 0,
  blockedUntilMs: Number.NEGATIVE_INFINITY,
  refused: undefined,
};

export const nextChannelState = (state: ChannelState, event: ChannelEvent): ChannelState => {
  const { failures, blockedUntilMs, refused } = state;
  switch (event.kind) {
    case 'accepted':
      return { ...OPEN_CHANNEL, blockedUntilMs };
    case 'permissions-changed':
      return refused
        ? { ...state, blockedUntilMs: Math.min(blockedUntilMs, refused.lastMs + REFUSED_MS) }
        : state;
    case 'failed': {
      const { error, nowMs } = event;
      const isRefusal = error.code === 'forbidden';
      const backoff = isRefusal ? REFUSED_BACKOFF : BACKOFF;
      const isFinal = !isRefusal && !error.retryable;
      const waitMs = isFinal ? BACKOFF.longestMs : backoffMs(backoff, failures);
      return {
        failures: failures + 1,
        blockedUntilMs: nowMs + (error.retryAfterMs ?? waitMs),
        refused: isRefusal ? { sinceMs: refused?.sinceMs ?? nowMs, lastMs: nowMs } : refused,
      };
    }
  }
};

/** True when a channel has refused for so long that lines do not wait for it any more. */
export const isLongRefused = ({ refused }: ChannelState, nowMs: number): boolean =>
  refused?.lastMs === nowMs && nowMs - refused.sinceMs >= LONGEST_REFUSED_MS;
