import { HOUR_MS, MINUTE_MS } from '../../async/clock.ts';
import type { CallReport, OnCall } from '../call-report.ts';

/** The stretch of time by which calls are forgotten. */
const SLOT_MS = 5 * MINUTE_MS;

/** Upper bounds of the times that are told apart, ms; a last one is without end. */
export const BOUNDS_MS = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 600_000,
] as const;

/** Numbers of calls by time: one for each bound, and one for all that took longer. */
export type Histogram = readonly number[];

/** Calls of one endpoint, lane and outcome, added up. */
export interface CallCounts extends Pick<CallReport, 'endpoint' | 'lane' | 'outcome'> {
  readonly calls: number;
  readonly attempts: number;
  readonly characters: number;
  readonly audioSeconds: number;
  readonly tokens: number;
  /** Waiting and service times of the calls that were sent. */
  readonly waiting: Histogram;
  readonly service: Histogram;
}

const addTo = (histogram: Histogram, ms: number): Histogram => {
  const found = BOUNDS_MS.findIndex((bound) => ms <= bound);
  const at = found === -1 ? BOUNDS_MS.length : found;
  return histogram.with(at, (histogram[at] ?? 0) + 1);
};

const EMPTY: Histogram = Array.from({ length: BOUNDS_MS.length + 1 }, () => 0);

const sumOf = (a: Histogram, b: Histogram): Histogram =>
  a.map((count, index) => count + (b[index] ?? 0));

/**
 * The bound within which a share of the calls stayed, ms, or the last one; undefined without calls.
 */
export const quantileMs = (histogram: Histogram, share: number): number | undefined => {
  const all = histogram.reduce((sum, count) => sum + count, 0);
  if (all === 0) return undefined;
  let counted = 0;
  const found = histogram.findIndex((count) => (counted += count) >= share * all);
  return BOUNDS_MS[found] ?? BOUNDS_MS.at(-1);
};

const keyOf = ({ endpoint, lane, outcome }: CallCounts): string => `${endpoint} ${lane} ${outcome}`;

const countsOf = (report: CallReport): CallCounts => {
  const { endpoint, lane, outcome, attempts, characters, waitingMs, serviceMs } = report;
  return {
    endpoint,
    lane,
    outcome,
    calls: 1,
    attempts,
    characters,
    audioSeconds: report.audioSeconds ?? 0,
    tokens: report.tokens ?? 0,
    waiting: attempts > 0 ? addTo(EMPTY, waitingMs) : EMPTY,
    service: attempts > 0 ? addTo(EMPTY, serviceMs) : EMPTY,
  };
};

const together = (a: CallCounts, b: CallCounts): CallCounts => ({
  ...a,
  calls: a.calls + b.calls,
  attempts: a.attempts + b.attempts,
  characters: a.characters + b.characters,
  audioSeconds: a.audioSeconds + b.audioSeconds,
  tokens: a.tokens + b.tokens,
  waiting: sumOf(a.waiting, b.waiting),
  service: sumOf(a.service, b.service),
});

const addUp = (counts: Map<string, CallCounts>, more: CallCounts): void => {
  const known = counts.get(keyOf(more));
  counts.set(keyOf(more), known ? together(known, more) : more);
};

/**
 * Creates the memory of the calls of the last hour, to five minutes. Its size is bounded by the numbers
 * of endpoints, lanes and outcomes.
 *
 * @param nowMs clock without jumps
 */
export const createRecentCalls = (nowMs: () => number) => {
  const slots = new Map<number, Map<string, CallCounts>>();

  const forgetOld = (): void => {
    const oldest = Math.floor((nowMs() - HOUR_MS) / SLOT_MS);
    for (const slot of slots.keys()) if (slot <= oldest) slots.delete(slot);
  };
  const onCall: OnCall = (report) => {
    forgetOld();
    const slot = Math.floor(nowMs() / SLOT_MS);
    const counts = slots.get(slot) ?? new Map<string, CallCounts>();
    slots.set(slot, counts);
    addUp(counts, countsOf(report));
  };

  return {
    onCall,
    snapshot: (): readonly CallCounts[] => {
      forgetOld();
      const all = new Map<string, CallCounts>();
      for (const counts of slots.values()) for (const each of counts.values()) addUp(all, each);
      return [...all.values()];
    },
  };
};
