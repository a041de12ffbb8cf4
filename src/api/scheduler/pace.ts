/**
 * The pace of requests to one endpoint, learnt from refusals (429). It takes the limit for a token
 * bucket: at two refusals the bucket was empty, so what was accepted in between is what it allows.
 */
export interface Pace {
  /**
   * The time until another request may be sent, ms; 0: now.
   *
   * @param reserve share of the burst, from 0 to 1, that has to be left over
   */
  waitMs(nowMs: number, reserve?: number): number;
  /** @param isPressed true when requests wait for the pace: only then does it grow */
  sent(nowMs: number, isPressed: boolean): void;
  /** Notes an answer: refusals after it are no longer in a row. */
  accepted(): void;
  /**
   * @param sentAtMs when the refused request was sent
   * @param toldMs time for which the service asked to wait
   */
  refused(nowMs: number, sentAtMs: number, toldMs: number | undefined): void;
  /** Requests a second; undefined while no limit is known. */
  perSecond(): number | undefined;
}

/** Requests accepted between two refusals after which the rate is known to some percent. */
const ENOUGH = 24;
/** A rate that was measured above the one before by more than this is still rising. */
const RISING = 1.1;
/** Time and requests in which the pace doubles while the rate is not known. */
const DOUBLING_MS = 3_000;
const DOUBLING_REQUESTS = 12;
/**
 * Share by which the pace begins below the rate found, and the time and number of requests in which
 * it is back there, as in CUBIC (RFC 9438). What is not used until then fills the service's bucket
 * and is used when the pace has grown beyond the rate, so that little is lost.
 */
const DROP = 0.05;
const RETURN_MS = 30_000;
const RETURN_REQUESTS = 30;
/** The same share when the next refusal came after fewer requests than `SOON`. */
const STEEP_DROP = 0.3;
const SOON = 8;
/** Slowest pace, requests a second. */
const SLOWEST = 1 / 60;
/** Waits after refusals in a row that name none: the first, and the longest after doubling. */
const UNTOLD_MS = 1_000;
const LONGEST_UNTOLD_MS = 30_000;
/** Time after which a rate that was never measured, for lack of requests, is forgotten. */
const FORGOTTEN_AFTER_MS = 60_000;
/** Time for which a refusal is measured from, unless there were few requests since. */
const MEASURED_MS = 60_000;
/** Lateness of timers that is made up for. */
const LATE_MS = 50;
const MOST_EMPTIES = 32;
const MOST_DEPTH = 32;

/** A moment when the service's bucket was empty. */
interface Empty {
  readonly atMs: number;
  /** Requests accepted until then. */
  accepted: number;
}

interface Limit {
  /** Requests a second. */
  readonly rate: number;
  /** Share below the rate at which the pace began again. */
  readonly drop: number;
  readonly isMeasured: boolean;
}

export const createPace = (): Pace => {
  let limit: Limit | undefined;
  /** Time and doublings for which requests have waited for the pace since the last refusal. */
  let pressedMs = 0;
  let doublings = 0;
  /** Requests that may be sent at once, and those that are left of them. */
  let depth = 1;
  let tokens = 0;
  let countedMs = 0;
  let sentMs = 0;
  let pausedUntilMs = -Infinity;
  let refusedMs = -Infinity;
  /** Time at which the service said that it takes a request again. */
  let promisedMs = Infinity;
  let inARow = 0;
  /** Requests sent and not refused: the service decides before it answers. */
  let accepted = 0;
  /** The same of about the last second. */
  let recent = 0;
  /** Refusals since requests last did not wait for the pace. */
  let empties: readonly Empty[] = [];

  const pace = (): number => {
    if (!limit) return Infinity;
    const { rate, drop, isMeasured } = limit;
    if (!isMeasured) return Math.max(SLOWEST, rate * (1 - drop) * 2 ** doublings);
    const steepness = DROP / Math.max(RETURN_MS, (RETURN_REQUESTS * 1_000) / rate) ** 3;
    const returnMs = Math.cbrt(drop / steepness);
    return Math.max(SLOWEST, rate * (1 + steepness * (pressedMs - returnMs) ** 3));
  };

  const fill = (nowMs: number): void => {
    const isForgotten = limit?.isMeasured === false && nowMs - refusedMs > FORGOTTEN_AFTER_MS;
    if (isForgotten) limit = undefined;
    const passedMs = nowMs - countedMs;
    countedMs = nowMs;
    if (limit) {
      const rate = pace();
      const most = Math.max(depth, 1 + (LATE_MS / 1_000) * rate);
      tokens = Math.min(most, tokens + (passedMs / 1_000) * rate);
    }
    if (nowMs < promisedMs) return;
    promisedMs = Infinity;
    tokens = Math.max(1, tokens);
  };

  const measure = (nowMs: number, known: Limit): Limit => {
    const from =
      empties.findLast((empty) => accepted - empty.accepted >= ENOUGH) ??
      empties.find(({ atMs }) => nowMs - atMs <= MEASURED_MS);
    if (!from) return { ...known, rate: pace(), drop: DROP };
    const passed = accepted - from.accepted;
    const measured = Math.min(pace(), ((passed + 0.5) * 1_000) / (nowMs - from.atMs));
    const isMeasured = passed >= ENOUGH && measured <= known.rate * RISING;
    if (!isMeasured || !known.isMeasured) return { rate: measured, drop: DROP, isMeasured };
    // The bucket may have run over meanwhile: then it allows more than was accepted.
    const rate = (measured + Math.min(pace(), measured * RISING)) / 2;
    const isSoon = accepted - (empties.at(-1)?.accepted ?? 0) < SOON;
    return { rate, drop: isSoon ? STEEP_DROP : DROP, isMeasured };
  };

  const learn = (nowMs: number, waitMs: number): void => {
    if (!limit) {
      const burst = recent * Math.exp((sentMs - nowMs) / 1_000);
      depth = Math.min(MOST_DEPTH, Math.max(1, Math.round(burst)));
      const rate = Math.max(1_000 / Math.max(100, waitMs), burst / 2);
      limit = { rate, drop: 0, isMeasured: false };
    } else if (empties.length === 0 && depth > 1) depth = Math.max(1, Math.floor(depth * 0.7));
    else limit = measure(nowMs, limit);
    empties = [...empties.slice(1 - MOST_EMPTIES), { atMs: nowMs, accepted }];
    pressedMs = 0;
    doublings = 0;
  };

  return {
    waitMs: (nowMs, reserve = 0) => {
      fill(nowMs);
      const pauseMs = Math.max(0, pausedUntilMs - nowMs);
      if (!limit || pauseMs > 0) return pauseMs;
      const missing = 1 + reserve * (depth - 1) - tokens;
      return missing <= 1e-6 ? 0 : (missing / pace()) * 1_000;
    },
    sent: (nowMs, isPressed) => {
      fill(nowMs);
      tokens -= 1;
      const passedMs = nowMs - sentMs;
      accepted += 1;
      recent = recent * Math.exp(-passedMs / 1_000) + 1;
      sentMs = nowMs;
      if (isPressed) {
        pressedMs += Math.min(passedMs, MEASURED_MS);
        doublings += Math.min(passedMs / DOUBLING_MS, 1 / DOUBLING_REQUESTS);
      } else empties = [];
    },
    accepted: () => {
      inARow = 0;
    },
    refused: (nowMs, sentAtMs, toldMs) => {
      // What was sent before the last refusal says nothing new.
      const isNews = sentAtMs >= refusedMs;
      accepted -= 1;
      recent = Math.max(0, recent - 1);
      if (isNews) inARow += 1;
      const untoldMs = Math.min(LONGEST_UNTOLD_MS, UNTOLD_MS * 2 ** Math.max(0, inARow - 1));
      const waitMs = toldMs ?? untoldMs;
      pausedUntilMs = Math.max(pausedUntilMs, nowMs + waitMs);
      promisedMs = pausedUntilMs;
      const last = empties.at(-1);
      if (!isNews) {
        // Counted as accepted when the bucket was found empty, it was not.
        if (last) last.accepted -= 1;
        if (empties.length === 1) depth = Math.max(1, depth - 1);
        return;
      }
      fill(nowMs);
      learn(nowMs, waitMs);
      tokens = 0;
      refusedMs = nowMs;
    },
    perSecond: () => limit && pace(),
  };
};
