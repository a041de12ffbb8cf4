import { backoffMs, type Backoff } from '../../../src/async/backoff.ts';
import type { Clock } from '../../../src/async/clock.ts';

/** The request for a voice channel in one server (op 4); null: none. */
export interface VoicePayload {
  readonly op: number;
  readonly d: { readonly channel_id: string | null; readonly [key: string]: unknown };
}

/** Waits between requests: the library repeats them at once, over and over. */
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
/** Time without a request after which the next one does not wait. */
const CALM_MS = 60_000;
/** Wait for a shard that is not connected or has no capacity. */
const SHARD_WAIT_MS = 1_000;

/**
 * Outcome of sending. `away` and `crowded`: the request was not sent and must be retried, because
 * the shard is not connected or has received too many others.
 */
export type Sent = 'sent' | 'away' | 'crowded';

export interface SenderDeps {
  readonly send: (payload: VoicePayload) => Sent;
  readonly clock: Clock;
  /** True when the bot may be in a channel of the server already. */
  readonly isThere: boolean;
}

export interface Sender {
  /**
   * Sends only the newest request: joins not too often, leaves at once, and only when the bot may
   * be in a channel.
   */
  send(payload: VoicePayload): void;
  /** True when a request waits because the shard has no capacity. */
  readonly isCrowded: boolean;
  readonly isThere: boolean;
  stop(): void;
}

export const createSender = ({ send, clock, ...deps }: SenderDeps): Sender => {
  const { nowMs, after } = clock;
  let cancel: (() => void) | undefined;
  let { isThere } = deps;
  let isCrowded = false;
  /** Number of requests since the last time without any. */
  let requests = 0;
  let askedMs = Number.NEGATIVE_INFINITY;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
    isCrowded = false;
  };
  const attempt = (payload: VoicePayload): void => {
    const outcome = send(payload);
    isCrowded = outcome === 'crowded';
    cancel = outcome === 'sent' ? undefined : after(SHARD_WAIT_MS, () => attempt(payload));
    if (cancel) return;
    isThere = payload.d.channel_id !== null;
    if (!isThere) return;
    askedMs = nowMs();
    requests += 1;
  };
  return {
    get isCrowded() {
      return isCrowded;
    },
    get isThere() {
      return isThere;
    },
    send: (payload) => {
      stop();
      if (payload.d.channel_id === null) {
        if (isThere) attempt(payload);
        return;
      }
      const sinceMs = nowMs() - askedMs;
      if (sinceMs > CALM_MS) requests = 0;
      const leftMs = requests === 0 ? 0 : backoffMs(BACKOFF, requests - 1) - sinceMs;
      if (leftMs <= 0) attempt(payload);
      else cancel = after(leftMs, () => attempt(payload));
    },
    stop,
  };
};
