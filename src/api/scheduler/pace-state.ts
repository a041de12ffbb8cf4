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
