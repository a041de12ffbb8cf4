import type { RecentCalls } from '../../model/service.ts';
import type { CallReport, OnCall } from '../call-report.ts';
import type { Metrics } from '../../ops/metrics.ts';
import { HOUR_MS, MINUTE_MS } from '../../async/clock.ts';

/** The stretch of time by which calls are forgotten. */
const SLOT_MS = 5 * MINUTE_MS;

/** Upper bounds of the times that are told apart, ms; a last one is without end. */
const BOUNDS_MS = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 600_000,
] as const;

/** Numbers of calls by time: one for each bound, and one for all that took longer. */
type Histogram = readonly number[];

/** Calls of one endpoint, lane and outcome, added up. */
interface CallCounts extends Pick<CallReport, 'endpoint' | 'lane' | 'outcome'> {
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
const quantileMs = (histogram: Histogram, share: number): number | undefined => {
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
const createRecentCalls = (nowMs: () => number) => {
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

const SECOND_MS = 1_000;
const BUCKETS_SECONDS = BOUNDS_MS.map((ms) => ms / SECOND_MS);

/**
 * Declares the metrics of calls of the service; returns the function that adds a call to them. Labels
 * are endpoint, lane and outcome: nothing of spaces, people, texts or keys.
 */
const declareCallMetrics = (metrics: Metrics): OnCall => {
  const labels = ['endpoint', 'lane'] as const;
  const counter = (name: string, help: string) =>
    metrics.counter({ name: `dragoman_service_${name}_total`, help, labels });
  const times = (name: string, help: string) =>
    metrics.histogram({
      name: `dragoman_service_${name}_seconds`,
      help,
      labels,
      buckets: BUCKETS_SECONDS,
    });

  const calls = metrics.counter({
    name: 'dragoman_service_calls_total',
    help: 'Calls of the service that have ended, by outcome.',
    labels: ['endpoint', 'lane', 'outcome'],
  });
  const requests = counter('requests', 'Requests that were sent to the service.');
  const characters = counter('characters', 'Code points of text that was sent.');
  const audio = counter('audio_seconds', 'Seconds of audio that was sent.');
  const tokens = counter('tokens', 'Tokens that the service counted.');
  const waiting = times('waiting', 'Time for which the requests of a call waited to be sent.');
  const service = times(
    'call',
    'Time from sending to the end of the reply, of speech to its start.',
  );

  return ({ endpoint, lane, outcome, attempts, ...report }) => {
    const of = { endpoint, lane };
    calls({ ...of, outcome });
    requests(of, attempts);
    characters(of, report.characters);
    audio(of, report.audioSeconds ?? 0);
    tokens(of, report.tokens ?? 0);
    if (attempts === 0) return;
    waiting(report.waitingMs / SECOND_MS, of);
    service(report.serviceMs / SECOND_MS, of);
  };
};

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
