import { sleep, type Clock } from '../../../../src/async/clock.ts';
import type { Lane } from '../../../../src/model/service.ts';
import {
  type RequestOutcome,
  type Permit,
  type RequestScheduler,
  NotSentError,
} from '../../../../src/api/scheduler/scheduler.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createTokenBucket, type TokenBucket } from '../../../fakes/token-bucket.ts';

/** How refusals of a simulated service name the wait. */
export type Telling = 'exactly' | 'in whole seconds' | 'not at all';

export interface SimulatedService {
  readonly perSecond: number;
  readonly burst: number;
  readonly serviceMs?: number;
  readonly telling?: Telling;
  /** While this is true, it refuses everything. */
  readonly isAway?: (nowMs: number) => boolean;
}

/** Counts of a simulated service. */
export interface Simulated {
  readonly bucket: TokenBucket;
  accepted: number;
  refused: number;
  /** Answers one request. */
  readonly request: () => Promise<RequestOutcome>;
}

/** The wait that a service names which refuses everything. */
const AWAY_MS = 1_000;

export const simulateService = (
  clock: Clock,
  { perSecond, burst, serviceMs = 20, telling = 'exactly', isAway = () => false }: SimulatedService,
): Simulated => {
  const bucket = createTokenBucket(clock.nowMs, { perSecond, burst });
  const service: Simulated = {
    bucket,
    accepted: 0,
    refused: 0,
    request: async () => {
      const waitMs = isAway(clock.nowMs()) ? AWAY_MS : bucket.take();
      if (waitMs === 0) {
        service.accepted += 1;
        await sleep(clock, serviceMs);
        return { kind: 'answered' };
      }
      service.refused += 1;
      await sleep(clock, Math.min(serviceMs, 5));
      const toldMs = telling === 'exactly' ? waitMs : Math.ceil(waitMs / 1_000) * 1_000;
      return { kind: 'refused', retryAfterMs: telling === 'not at all' ? undefined : toldMs };
    },
  };
  return service;
};

export interface SimulatedJob {
  readonly lane: Lane;
  readonly space: string;
  /** When it is asked for, ms after the start. */
  readonly atMs: number;
}

/** What became of a job: the wait of its asker until the answer, ms. */
export interface Done {
  readonly job: SimulatedJob;
  readonly tookMs: number;
  /** When it was answered, ms after the start. */
  readonly endMs: number;
}

/** Sends one job until it is answered, as the client and the inbox do between them. */
export const sendJob = async (
  { nowMs, after }: Clock,
  scheduler: RequestScheduler,
  service: Simulated,
  job: SimulatedJob,
): Promise<Done> => {
  const signal = new AbortController().signal;
  const sinceMs = nowMs();
  for (let wasRefused = false; ;) {
    let permit: Permit;
    try {
      permit = await scheduler.admit({ ...job, signal, leftMs: 60_000, wasRefused });
    } catch (thrown) {
      if (!(thrown instanceof NotSentError)) throw thrown;
      wasRefused = false;
      await sleep({ after }, thrown.retryAfterMs ?? 0);
      continue;
    }
    const outcome = await service.request();
    permit.settle(outcome);
    if (outcome.kind === 'answered') return { job, tookMs: nowMs() - sinceMs, endMs: nowMs() };
    wasRefused = true;
  }
};

const SPACES = 20;
const AMBIENT = 2_000;
const INTERACTIVE = 200;
/** Time in which all of these can be sent at 5 a second. */
const SPAN_MS = 430_000;

/** Ambient jobs of several spaces, all at the start, and interactive ones at random times. */
export const mixedJobs = (random: () => number): SimulatedJob[] => [
  ...Array.from({ length: AMBIENT }, (_, index) => ({
    lane: 'ambient' as const,
    space: `space ${index % SPACES}`,
    atMs: 0,
  })),
  ...Array.from({ length: INTERACTIVE }, (_, index) => ({
    lane: 'interactive' as const,
    space: `space ${index % SPACES}`,
    atMs: random() * SPAN_MS,
  })),
];

/** Runs all jobs to their end, in simulated time. */
export const simulate = async (
  jobs: readonly SimulatedJob[],
  limits: SimulatedService,
  schedulerOf: (clock: Clock) => RequestScheduler,
) => {
  const clock = createTestClock();
  const service = simulateService(clock, limits);
  const scheduler = schedulerOf(clock);
  const done: Done[] = [];
  const run = async (job: SimulatedJob): Promise<void> => {
    await sleep(clock, job.atMs);
    done.push(await sendJob(clock, scheduler, service, job));
  };
  const all = Promise.all(jobs.map(run));
  while (done.length < jobs.length) await clock.advance(1_000);
  await all;
  return { done, service, allowed: service.bucket.allowed() };
};
