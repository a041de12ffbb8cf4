import type { RecentCalls } from '../../model/service.ts';
import type { CallReport, OnCall } from '../call-report.ts';
import type { Metrics } from '../../ops/metrics.ts';
import { declareCallMetrics } from './prometheus.ts';
import { createRecentCalls, quantileMs, type CallCounts } from './recent-calls.ts';

/** Outcomes that say nothing against the service: it answered, nobody wanted it, or it may refuse. */
const NO_FAILURES: ReadonlySet<CallReport['outcome']> = new Set([
  'answered',
  'cancelled',
  'bad-input',
  'too-large',
  'unsupported',
]);

/** Lists are asked for again and again to see whether the service answers, and would hide failures. */
const LISTS: ReadonlySet<CallReport['endpoint']> = new Set(['voices', 'models']);
/** Outcomes of which nobody is told: nobody waited, or it is for others to mend. */
const UNTOLD: ReadonlySet<CallReport['outcome']> = new Set(['cancelled', 'own-key-refused']);

/** The calls of the service, added up. */
export interface CallMetrics {
  readonly onCall: OnCall;
  /** The calls of the last hour, by endpoint, lane and outcome. */
  readonly snapshot: () => readonly CallCounts[];
}

/**
 * @param metrics takes all calls since the start
 * @param nowMs clock without jumps
 */
export const createCallMetrics = (
  metrics: Metrics,
  nowMs: () => number = () => performance.now(),
): CallMetrics => {
  const recent = createRecentCalls(nowMs);
  const add = declareCallMetrics(metrics);
  return {
    onCall: (report) => {
      recent.onCall(report);
      add(report);
    },
    snapshot: recent.snapshot,
  };
};

const sent = ({ service }: CallCounts): number => service.reduce((all, count) => all + count, 0);

/** Sums up what people are told of the calls of a snapshot; undefined without any. */
export const recentCalls = (snapshot: readonly CallCounts[]): RecentCalls | undefined => {
  const wanted = snapshot.filter(
    ({ endpoint, outcome }) => !LISTS.has(endpoint) && !UNTOLD.has(outcome),
  );
  const sum = (of: (counts: CallCounts) => number): number =>
    wanted.reduce((total, counts) => total + of(counts), 0);
  const calls = sum((counts) => counts.calls);
  if (calls === 0) return undefined;
  const failed = wanted.filter(({ outcome }) => !NO_FAILURES.has(outcome));
  const waits = wanted.map(({ waiting }) => waiting);
  const waiting = (waits[0] ?? []).map((_, index) =>
    waits.reduce((all, each) => all + (each[index] ?? 0), 0),
  );
  return {
    calls,
    failed: failed.reduce((all, counts) => all + sent(counts), 0),
    unsent: failed.reduce((all, counts) => all + counts.calls - sent(counts), 0),
    waitedMs: quantileMs(waiting, 0.95) ?? 0,
  };
};
