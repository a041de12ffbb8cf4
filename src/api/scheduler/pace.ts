/** A moment when the service's bucket was empty. */
interface Empty {
  readonly atMs: number;
  /** Requests accepted until then. */
  accepted: number;
}

export interface Limit {
  /** Requests a second. */
  readonly rate: number;
  /** Share below the rate at which the pace began again. */
  readonly drop: number;
  readonly isMeasured: boolean;
}

/** The knowledge of the limit from before the service began to refuse. */
type Known = Pick<PaceState, 'limit' | 'depth' | 'pressedMs' | 'doublings'>;

/** The state of a pace: what it has learnt, and what it counts. Times are those of one clock, in ms. */
export interface PaceState {
  /** Undefined while no limit is known. */
  limit: Limit | undefined;
  /** Time and doublings for which requests have waited for the pace since the last refusal. */
  pressedMs: number;
  doublings: number;
  /** Requests that may be sent at once, and those that are left of them. */
  depth: number;
  tokens: number;
  countedMs: number;
  sentMs: number;
  pausedUntilMs: number;
  refusedMs: number;
  /** Time at which the service said that it takes a request again; Infinity where it did not. */
  promisedMs: number;
  inARow: number;
  /** The knowledge from before the last refusal that followed an accepted request. */
  known: Known;
  /** True while the service takes nothing, whatever the rate: it is only probed. */
  isAway: boolean;
  /** Requests known to be sent since the last refusal, and not refused. */
  taken: number;
  /** Requests sent and not refused: the service decides before it answers. */
  accepted: number;
  /** The same of about the last second. */
  recent: number;
  /** Refusals since requests last did not wait for the pace. */
  empties: readonly Empty[];
}

/** The state of a pace that knows of no limit. */
export const newPaceState = (): PaceState => ({
  limit: undefined,
  pressedMs: 0,
  doublings: 0,
  depth: 1,
  tokens: 0,
  countedMs: 0,
  sentMs: 0,
  pausedUntilMs: -Infinity,
  refusedMs: -Infinity,
  promisedMs: Infinity,
  inARow: 0,
  known: { limit: undefined, depth: 1, pressedMs: 0, doublings: 0 },
  isAway: false,
  taken: 1,
  accepted: 0,
  recent: 0,
  empties: [],
});

/** The state by another clock, which shows `byMs` more. */
export const shiftPaceState = (state: PaceState, byMs: number): PaceState => ({
  ...state,
  countedMs: state.countedMs + byMs,
  sentMs: state.sentMs + byMs,
  pausedUntilMs: state.pausedUntilMs + byMs,
  refusedMs: state.refusedMs + byMs,
  promisedMs: state.promisedMs + byMs,
  empties: state.empties.map(({ atMs, accepted }) => ({ atMs: atMs + byMs, accepted })),
});

/**
 * The pace of requests to one endpoint, learnt from refusals (429). It takes the limit for a token
 * bucket: at two refusals the bucket was empty, so what was accepted in between is what it allows.
 */
export type Pace = ReturnType<typeof createPace>;

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
/** Slowest pace after the first refusal, requests a second: a long wait is the date of an end, and no rate. */
const LEAST_FIRST = 1;
/** Slowest pace, requests a second. */
const SLOWEST = 1 / 60;
/** Waits after refusals in a row that name none: the first, and the longest after doubling. */
const UNSTATED_MS = 1_000;
const LONGEST_UNSTATED_MS = 1_500;
/** Probes a second of a service that takes nothing, where it does not answer them. */
const PROBES = 2;
/** Time after the end of a wait in which a rate that was never measured, for lack of requests, is forgotten. */
const FORGOTTEN_AFTER_MS = 60_000;
/** Time for which a refusal is measured from, unless there were few requests since. */
const MEASURED_MS = 60_000;
/** Lateness of timers that is made up for. */
const LATE_MS = 50;
const MOST_EMPTIES = 32;
const MOST_DEPTH = 32;

/** @param before the state to go on from. Default: nothing is known */
export const createPace = (before: PaceState = newPaceState()) => {
  const its: PaceState = structuredClone({ ...newPaceState(), ...before });

  const pace = (): number => {
    if (its.isAway) return PROBES;
    if (!its.limit) return Infinity;
    const { rate, drop, isMeasured } = its.limit;
    if (!isMeasured) return Math.max(SLOWEST, rate * (1 - drop) * 2 ** its.doublings);
    const steepness = DROP / Math.max(RETURN_MS, (RETURN_REQUESTS * 1_000) / rate) ** 3;
    const returnMs = Math.cbrt(drop / steepness);
    return Math.max(SLOWEST, rate * (1 + steepness * (its.pressedMs - returnMs) ** 3));
  };

  const perSecond = (): number | undefined => (its.limit || its.isAway ? pace() : undefined);

  const fill = (nowMs: number): void => {
    const sinceMs = Math.max(its.refusedMs, its.pausedUntilMs);
    const isForgotten = its.limit?.isMeasured === false && nowMs - sinceMs > FORGOTTEN_AFTER_MS;
    if (isForgotten) its.limit = undefined;
    const passedMs = nowMs - its.countedMs;
    its.countedMs = nowMs;
    const rate = perSecond();
    if (rate !== undefined) {
      const most = Math.max(its.isAway ? 1 : its.depth, 1 + (LATE_MS / 1_000) * rate);
      its.tokens = Math.min(most, its.tokens + (passedMs / 1_000) * rate);
    }
    if (nowMs < its.promisedMs) return;
    its.promisedMs = Infinity;
    its.tokens = Math.max(1, its.tokens);
  };

  const measure = (nowMs: number, limit: Limit): Limit => {
    const from =
      its.empties.findLast((empty) => its.accepted - empty.accepted >= ENOUGH) ??
      its.empties.find(({ atMs }) => nowMs - atMs <= MEASURED_MS);
    if (!from) return { ...limit, rate: pace(), drop: DROP };
    const passed = its.accepted - from.accepted;
    const measured = Math.min(pace(), ((passed + 0.5) * 1_000) / (nowMs - from.atMs));
    const isMeasured = passed >= ENOUGH && measured <= limit.rate * RISING;
    if (!isMeasured || !limit.isMeasured) return { rate: measured, drop: DROP, isMeasured };
    // The bucket may have run over meanwhile: then it allows more than was accepted.
    const rate = (measured + Math.min(pace(), measured * RISING)) / 2;
    const isSoon = its.accepted - (its.empties.at(-1)?.accepted ?? 0) < SOON;
    return { rate, drop: isSoon ? STEEP_DROP : DROP, isMeasured };
  };

  const learn = (nowMs: number, waitMs: number): void => {
    if (!its.limit) {
      const burst = its.recent * Math.exp((its.sentMs - nowMs) / 1_000);
      its.depth = Math.min(MOST_DEPTH, Math.max(1, Math.round(burst)));
      const rate = Math.max(LEAST_FIRST, 1_000 / Math.max(100, waitMs), burst / 2);
      its.limit = { rate, drop: 0, isMeasured: false };
    } else if (its.empties.length === 0 && its.depth > 1)
      its.depth = Math.max(1, Math.floor(its.depth * 0.7));
    else its.limit = measure(nowMs, its.limit);
    its.empties = [...its.empties.slice(1 - MOST_EMPTIES), { atMs: nowMs, accepted: its.accepted }];
    its.pressedMs = 0;
    its.doublings = 0;
  };

  /** Notes that the service takes nothing: that says nothing of the rate, nor did the refusal before. */
  const leave = (): void => {
    Object.assign(its, { limit: undefined }, its.known);
    its.isAway = true;
  };

  return {
    /**
     * The time until another request may be sent, ms; 0: now.
     *
     * @param reserve share of the burst, from 0 to 1, that has to be left over
     */
    waitMs: (nowMs: number, reserve = 0): number => {
      fill(nowMs);
      const pauseMs = Math.max(0, its.pausedUntilMs - nowMs);
      if (perSecond() === undefined || pauseMs > 0) return pauseMs;
      const missing = 1 + (its.isAway ? 0 : reserve * (its.depth - 1)) - its.tokens;
      return missing <= 1e-6 ? 0 : (missing / pace()) * 1_000;
    },
    /**
     * @param isPressed true when requests wait for the pace: only then does it grow
     * @param certain those of them that are no estimate
     */
    sent: (nowMs: number, isPressed: boolean, count = 1, certain = count): void => {
      fill(nowMs);
      const passedMs = nowMs - its.sentMs;
      its.tokens -= count;
      its.accepted += count;
      its.taken += certain;
      its.recent = its.recent * Math.exp(-passedMs / 1_000) + count;
      its.sentMs = nowMs;
      if (isPressed) {
        its.pressedMs += Math.min(passedMs, MEASURED_MS);
        its.doublings += Math.min(passedMs / DOUBLING_MS, Math.max(0, count) / DOUBLING_REQUESTS);
      } else its.empties = [];
    },
    /** Notes an answer to a request that was sent then: refusals after it are no longer in a row. */
    accepted: (sentAtMs: number): void => {
      if (sentAtMs < its.refusedMs) return;
      its.inARow = 0;
      its.isAway = false;
    },
    /**
     * @param sentAtMs when the refused request was sent
     * @param statedMs time for which the service asked to wait
     * @param isNews false where the last refusal said as much, as it did of what was sent before it
     */
    refused: (
      nowMs: number,
      sentAtMs: number,
      statedMs: number | undefined,
      isNews = sentAtMs >= its.refusedMs,
    ): void => {
      its.accepted -= 1;
      its.recent = Math.max(0, its.recent - 1);
      if (isNews) its.inARow += 1;
      const unstatedMs = Math.min(
        LONGEST_UNSTATED_MS,
        UNSTATED_MS * 2 ** Math.max(0, its.inARow - 1),
      );
      const waitMs = statedMs ?? unstatedMs;
      its.pausedUntilMs = Math.max(its.pausedUntilMs, nowMs + waitMs);
      its.promisedMs = its.pausedUntilMs;
      const isAfter = sentAtMs > its.refusedMs;
      if (isAfter) its.taken -= 1;
      fill(nowMs);
      if (isAfter && its.taken <= 0) leave();
      else if (isNews) {
        const { limit, depth, pressedMs, doublings } = its;
        its.known = { limit, depth, pressedMs, doublings };
        learn(nowMs, waitMs);
      } else {
        // Counted as accepted when the bucket was found empty, it was not.
        const last = its.empties.at(-1);
        if (last) last.accepted -= 1;
        if (its.empties.length === 1) its.depth = Math.max(1, its.depth - 1);
        return;
      }
      its.taken = 0;
      its.tokens = 0;
      its.refusedMs = nowMs;
    },
    /** Forgets when requests were refused, since others were sent that were not noted. */
    forgetRefusals: (): void => {
      its.empties = [];
      its.taken = 1;
    },
    /** Requests a second; undefined while no limit is known. */
    perSecond,
    /** True while the service takes nothing, whatever the rate. */
    isAway: (): boolean => its.isAway,
    /** Returns what was learnt so far, from which another pace can go on. */
    state: (): PaceState => structuredClone(its),
  };
};
