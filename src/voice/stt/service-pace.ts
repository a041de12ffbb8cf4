/** Expected time of a call to a service that has answered nothing yet, with that for each second of its sound. */
const FIRST_CALL_MS = 1_000;
const FIRST_CALL_MS_PER_SECOND = 300;
const SPARE_MS = 5_000;
const TIMES_LONGER = 3;
/** Smallest factor by which one answer lowers the remembered latency. */
const DECAY = 0.8;

/** Creates a tracker that detects hanging requests by recent latencies. */
export const createLatencyTracker = (nowMs: () => number) => {
  let latencyMs: number | undefined;
  let settledMs = -Infinity;
  let probedMs = -Infinity;

  const limitMs = (lengthMs: number): number => {
    const firstMs = FIRST_CALL_MS + (FIRST_CALL_MS_PER_SECOND * lengthMs) / 1_000;
    return SPARE_MS + TIMES_LONGER * (latencyMs ?? firstMs);
  };
  return {
    /** The longest time that a request for sound of that length may take: much longer than recent ones took. */
    limitMs,
    succeeded: (startedMs: number): void => {
      latencyMs = Math.max(nowMs() - startedMs, (latencyMs ?? 0) * DECAY);
    },
    settled: () => {
      settledMs = nowMs();
    },
    /** Notes that a request was sent to probe whether the service answers. */
    probed: () => {
      probedMs = nowMs();
    },
    /** The time of the next probe while the oldest unanswered request started then, and may take so long. */
    probeAtMs: (startedMs: number, ownLimitMs: number) =>
      Math.max(startedMs, settledMs, probedMs) + ownLimitMs,
  };
};

const FIRST_AT_ONCE = 4;
/** Sound that takes a service as long again as a call takes by itself. */
const SOUND_OF_A_CALL_MS = 10_000;
/** Factor by which the best time is forgotten with each call. */
const FORGETTING = 1.002;

/**
 * Creates the limit of requests at once: more where a service works on them side by side, fewer where
 * they wait there for each other, as TCP Vegas does (Brakmo and Peterson, 1995). What waits here can
 * still be joined.
 */
export const createConcurrencyLimit = (most: number) => {
  let atOnce = Math.min(FIRST_AT_ONCE, most);
  let best = Infinity;
  return {
    get atOnce() {
      return atOnce;
    },
    /** Takes the time of a call for sound of that length, while that many ran, itself included. */
    took: (tookMs: number, lengthMs: number, running: number): void => {
      const cost = Math.max(1, tookMs) / (1 + lengthMs / SOUND_OF_A_CALL_MS);
      best = Math.min(best * FORGETTING, cost);
      const waiting = running * (1 - best / cost);
      if (waiting >= 1) atOnce = Math.max(1, atOnce - 1);
      else if (waiting < 0.5) atOnce = Math.min(most, atOnce + 1);
    },
  };
};
