import type { Clock } from '../../../src/room/clock.ts';

/** Where the bot wants to be in one server (op 4); null: in no channel of it. */
export interface VoicePayload {
  readonly op: number;
  readonly d: { readonly channel_id: string | null; readonly [key: string]: unknown };
}

/** The library asks anew at once, over and over; so soon after the last time it waits. */
const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;
/** After a time without asking, the next one waits no longer. */
const CALM_MS = 60_000;
/** The shard may be away itself. */
const SHARD_WAIT_MS = 1_000;

/**
 * Sends what one connection wants: the newest alone, to come in not too often, to leave at once.
 *
 * @param send false where it cannot be sent now
 */
export const createSender = (send: (payload: VoicePayload) => boolean, { nowMs, after }: Clock) => {
  let cancel: (() => void) | undefined;
  let waitMs = 0;
  let askedMs = Number.NEGATIVE_INFINITY;

  const stop = (): void => {
    cancel?.();
    cancel = undefined;
  };
  const attempt = (payload: VoicePayload): void => {
    cancel = send(payload) ? undefined : after(SHARD_WAIT_MS, () => attempt(payload));
    if (cancel || payload.d.channel_id === null) return;
    askedMs = nowMs();
    waitMs = Math.min(LONGEST_WAIT_MS, Math.max(FIRST_WAIT_MS, waitMs * 2));
  };
  return {
    send: (payload: VoicePayload): void => {
      stop();
      if (payload.d.channel_id === null) return attempt(payload);
      const sinceMs = nowMs() - askedMs;
      if (sinceMs > CALM_MS) waitMs = 0;
      const leftMs = waitMs - sinceMs;
      if (leftMs <= 0) attempt(payload);
      else cancel = after(leftMs, () => attempt(payload));
    },
    stop,
  };
};
