import { backoffMs, type Backoff } from '../../../src/async/backoff.ts';
import type { Clock } from '../../../src/async/clock.ts';

/** The voice channel that the bot asks for in one server (op 4); null: none. */
export interface VoicePayload {
  readonly op: number;
  readonly d: { readonly channel_id: string | null; readonly [key: string]: unknown };
}

/** The library asks anew at once, over and over; so soon after the last time it waits. */
const BACKOFF: Backoff = { firstMs: 1_000, longestMs: 30_000 };
/** Time without a request after which the next one does not wait. */
const CALM_MS = 60_000;
/** The shard may be away itself, or have no room. */
const SHARD_WAIT_MS = 1_000;

/** `away` and `crowded`: it was not sent, and is to be tried again; crowded by other requests of the shard. */
export type Sent = 'sent' | 'away' | 'crowded';

export interface SenderDeps {
  readonly send: (payload: VoicePayload) => Sent;
  readonly clock: Clock;
  /** True when the bot may be in a channel of the server already. */
  readonly isThere: boolean;
}

export interface Sender {
  /** Sends the newest request alone: to join not too often, to leave at once, and only where the bot may be. */
  send(payload: VoicePayload): void;
  /** True when a request waits because the shard has no room for it. */
  readonly isCrowded: boolean;
  readonly isThere: boolean;
  stop(): void;
}

export const createSender = ({ send, clock, ...deps }: SenderDeps): Sender => {
  const { nowMs, after } = clock;
  let cancel: (() => void) | undefined;
  let { isThere } = deps;
  let isCrowded = false;
  /** Times that were asked without a calm between them. */
  let asked = 0;
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
    asked += 1;
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
      if (sinceMs > CALM_MS) asked = 0;
      const leftMs = asked === 0 ? 0 : backoffMs(BACKOFF, asked - 1) - sinceMs;
      if (leftMs <= 0) attempt(payload);
      else cancel = after(leftMs, () => attempt(payload));
    },
    stop,
  };
};
