import type { RecentCalls } from '../model/service.ts';
import type { CallReport, OnCall } from './call-report.ts';
import type { Metrics } from '../ops/metrics.ts';
import { HOUR_MS, MINUTE_MS } from '../async/clock.ts';

/** The stretch of time by which calls are forgotten. */
const SLOT_MS = 5 * MINUTE_MS;

/** Upper bounds of the times that are told apart, ms; a last one is without end. */
const BOUNDS_MS = [
  10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000, 60_000, 120_000, 600_000,
] as const;

/** Outcomes that say nothing against the service: it answered, the call was cancelled, or it may refuse. */
const NO_FAILURES: ReadonlySet<CallReport['outcome']> = new Set([
  'answered',
  'cancelled',
  'bad-input',
  'too-large',
  'unsupported',
]);

/** Lists are asked for again and again to see whether the service answers, and would hide failures. */
const LISTS: ReadonlySet<CallReport['endpoint']> = new Set(['voices', 'models']);
/** Outcomes that are not reported: nobody waited, or the owner of the key has to act. */
const UNREPORTED: ReadonlySet<CallReport['outcome']> = new Set(['cancelled', 'own-key-refused']);

/** Calls of five minutes; `waits` counts those sent by how long they waited: one for each bound, and one for all longer. */
interface Slot {
  calls: number;
  failed: number;
  unsent: number;
  readonly waits: number[];
}

const newSlot = (): Slot => ({
  calls: 0,
  failed: 0,
  unsent: 0,
  waits: Array.from({ length: BOUNDS_MS.length + 1 }, () => 0),
});

const addTo = (slot: Slot, { outcome, attempts, waitingMs }: CallReport): void => {
  const isFailure = !NO_FAILURES.has(outcome);
  slot.calls += 1;
  if (attempts > 0) {
    const found = BOUNDS_MS.findIndex((bound) => waitingMs <= bound);
    slot.waits[found === -1 ? BOUNDS_MS.length : found]! += 1;
    slot.failed += Number(isFailure);
  } else slot.unsent += Number(isFailure);
};

const sum = (numbers: readonly number[]): number => numbers.reduce((all, one) => all + one, 0);

/** The bound within which 95 % of the calls waited, ms, or the last one; 0 without calls. */
const usualWaitMs = (waits: readonly number[]): number => {
  const all = sum(waits);
  if (all === 0) return 0;
  let counted = 0;
  const found = waits.findIndex((count) => (counted += count) >= 0.95 * all);
  return BOUNDS_MS[found] ?? BOUNDS_MS.at(-1)!;
};

/**
 * Creates the counts of the last hour that people see, to five minutes.
 *
 * @param nowMs clock without jumps
 */
const createRecentCalls = (nowMs: () => number) => {
  const slots = new Map<number, Slot>();
  const forgetOld = (): void => {
    const oldest = Math.floor((nowMs() - HOUR_MS) / SLOT_MS);
    for (const slot of slots.keys()) if (slot <= oldest) slots.delete(slot);
  };
  return {
    add: (report: CallReport): void => {
      if (LISTS.has(report.endpoint) || UNREPORTED.has(report.outcome)) return;
      forgetOld();
      const at = Math.floor(nowMs() / SLOT_MS);
      const slot = slots.get(at) ?? newSlot();
      slots.set(at, slot);
      addTo(slot, report);
    },
    sum: (): RecentCalls | undefined => {
      forgetOld();
      const all = [...slots.values()];
      if (all.length === 0) return undefined;
      return {
        calls: sum(all.map(({ calls }) => calls)),
        failed: sum(all.map(({ failed }) => failed)),
        unsent: sum(all.map(({ unsent }) => unsent)),
        waitedMs: usualWaitMs(
          newSlot().waits.map((_, at) => sum(all.map(({ waits }) => waits[at]!))),
        ),
      };
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

/**
 * @param metrics takes all calls since the start
 * @param nowMs clock without jumps
 */
export const createCallMetrics = (
  metrics: Metrics,
  nowMs: () => number = () => performance.now(),
) => {
  const recent = createRecentCalls(nowMs);
  const add = declareCallMetrics(metrics);
  return {
    onCall: (report: CallReport): void => {
      recent.add(report);
      add(report);
    },
    /** Sums up what people are told of the calls of the last hour; undefined without any. */
    recent: recent.sum,
  };
};
