import type { Clock } from '../../async/clock.ts';
import { LANES, type Lane } from '../../model/service.ts';
import { createLanes, type Waiting } from './lanes.ts';
import { createPace } from './pace.ts';
import type { RequestPace } from './shared-pace.ts';
import { AppError } from '../../errors.ts';

const FIRST = 16;
const LEAST = 2;
/** The connections of the transport. */
const MOST = 64;
/** A refusal is answered by the pace, so little is taken off the limit for it, and nothing that was in use. */
const FACTORS = { refused: 0.9, failed: 0.5 } as const;

/** Creates the limit of requests under way: it grows by addition and shrinks by multiplication (AIMD). */
export const createConcurrency = () => {
  let limit = FIRST;
  /** True until the first overload: the limit doubles with each round of requests. */
  let isSlowStart = true;
  let loweredMs = -Infinity;
  return {
    /** Most requests at the same time. */
    limit: (): number => Math.floor(limit),
    /** @param underWay requests at that moment, this one included */
    answered: (underWay: number): void => {
      // A limit that is not used says nothing about the service.
      if (underWay * 2 < limit) return;
      limit = Math.min(MOST, limit + (isSlowStart ? 1 : 1 / limit));
    },
    /** Notes that a request failed or was refused, which was sent at `sentAtMs`. */
    overloaded: (
      nowMs: number,
      sentAtMs: number,
      sign: 'refused' | 'failed',
      underWay: number,
    ): void => {
      // One round of requests lowers it once.
      if (sentAtMs < loweredMs) return;
      const least = sign === 'refused' ? Math.min(limit, underWay) : LEAST;
      limit = Math.max(LEAST, least, limit * FACTORS[sign]);
      isSlowStart = false;
      loweredMs = nowMs;
    },
  };
};

/**
 * The error of a request that was not sent: too many wait before it (`rate-limited`), or the service
 * does not answer (`unavailable`). The asker may try again after `retryAfterMs`.
 */
export class NotSentError extends AppError {
  override readonly name = 'NotSentError';

  constructor(
    code: 'rate-limited' | 'unavailable',
    message: string,
    { retryAfterMs, cause }: { readonly retryAfterMs: number; readonly cause?: unknown },
  ) {
    super(code, message, { retryable: true, retryAfterMs, cause });
  }
}

export interface Request extends Waiting {
  /** Aborted when the answer is no longer wanted, or the deadline has passed. */
  readonly signal: AbortSignal;
  /** Time until the deadline. */
  readonly leftMs: number;
  /** True when the service refused the request before: it goes before its space's others. */
  readonly wasRefused?: boolean;
}

/** The end of a request, as far as it concerns the next ones; `broke` tells of itself alone. */
export type RequestOutcome =
  | { readonly kind: 'answered' | 'failed' | 'broke' | 'left' }
  /** The service refused it (429), and may have said for how long. */
  | { readonly kind: 'refused'; readonly retryAfterMs: number | undefined };

/** The leave to send one request. */
export interface Permit {
  readonly waitedMs: number;
  /** Gives the place back; only the first call counts. */
  settle(outcome: RequestOutcome): void;
}

/** Decides when each request to one endpoint is sent. */
export type RequestScheduler = ReturnType<typeof createRequestScheduler>;

export interface RequestSchedulerDeps {
  readonly clock: Clock;
  /** Random number from 0 to 1, for the jitter of waits. */
  readonly random: () => number;
  /** Makes the pace; it calls `changed` when more may be sent. Default: one of this scheduler alone. */
  readonly makePace?: (changed: () => void) => RequestPace;
}

/** Longest expected wait with which a request is taken: ambient and batch are refused first. */
const LONGEST_WAIT_MS: Readonly<Record<Lane, number>> = {
  live: Infinity,
  interactive: 45_000,
  ambient: 20_000,
  batch: 10_000,
};
/** Requests of a lane that may always wait, so that a lane with a small share is not shut out. */
const ALWAYS_WAITING = 8;
/** Share of the places that a lane may use, and of a burst that it leaves to the others. */
const PLACES: Readonly<Record<Lane, number>> = {
  live: 1,
  interactive: 0.9,
  ambient: 0.75,
  batch: 0.5,
};
const RESERVES: Readonly<Record<Lane, number>> = {
  live: 0,
  interactive: 0,
  ambient: 0.25,
  batch: 0.5,
};
/** Service time that is expected before the first answer, and the weight of a new one. */
const FIRST_SERVICE_MS = 500;
const NEW_SHARE = 0.1;
/** Shortest wait that is told to a refused asker. */
const LEAST_TOLD_MS = 1_000;

interface Job extends Waiting {
  readonly signal: AbortSignal;
  readonly sinceMs: number;
  readonly admitted: PromiseWithResolvers<Permit>;
  readonly leave: () => void;
}

/** Creates the scheduler of one endpoint with one key. */
export const createRequestScheduler = ({
  clock,
  random,
  makePace = () => createPace(),
}: RequestSchedulerDeps) => {
  const lanes = createLanes<Job>();
  const pace = makePace(() => pump());
  const concurrency = createConcurrency();
  let underWay = 0;
  let serviceMs = FIRST_SERVICE_MS;
  /** True while the pace is what requests wait for. */
  let isPressed = false;
  let cancelWake: (() => void) | undefined;

  const permit = ({ sinceMs, signal }: Job): Permit => {
    const sentAtMs = clock.nowMs();
    let isSettled = false;
    const settle = (outcome: RequestOutcome): void => {
      if (isSettled) return;
      isSettled = true;
      signal.removeEventListener('abort', gone);
      const nowMs = clock.nowMs();
      if (outcome.kind === 'answered') {
        pace.accepted(sentAtMs);
        concurrency.answered(underWay);
        serviceMs += (nowMs - sentAtMs - serviceMs) * NEW_SHARE;
      } else if (outcome.kind === 'refused') {
        pace.refused(nowMs, sentAtMs, outcome.retryAfterMs);
        // A request alone, as probes are, says nothing of how many may be under way.
        if (underWay > 1) concurrency.overloaded(nowMs, sentAtMs, 'refused', underWay);
      } else if (outcome.kind === 'failed')
        concurrency.overloaded(nowMs, sentAtMs, 'failed', underWay);
      underWay -= 1;
      pump();
    };
    const gone = (): void => settle({ kind: 'left' });
    signal.addEventListener('abort', gone, { once: true });
    return { waitedMs: sentAtMs - sinceMs, settle };
  };

  const send = (job: Job): void => {
    lanes.take(job);
    job.signal.removeEventListener('abort', job.leave);
    pace.sent(clock.nowMs(), isPressed);
    underWay += 1;
    job.admitted.resolve(permit(job));
  };

  const hasPlace = (lane: Lane, isDue: boolean): boolean =>
    underWay < Math.ceil(concurrency.limit() * (isDue ? 1 : PLACES[lane]));

  const pump = (): void => {
    cancelWake?.();
    cancelWake = undefined;
    let waitMs: number;
    do {
      waitMs = Infinity;
      const job = lanes.next((lane, isDue) => {
        if (!hasPlace(lane, isDue)) return false;
        const paceMs = pace.waitMs(clock.nowMs(), isDue ? 0 : RESERVES[lane]);
        waitMs = Math.min(waitMs, paceMs || Infinity);
        return paceMs === 0;
      });
      if (!job) break;
      send(job);
    } while (lanes.size > 0);
    isPressed = lanes.size > 0 && waitMs < Infinity;
    if (isPressed) cancelWake = clock.after(Math.ceil(waitMs), pump);
    const lane = LANES.find((one) => lanes.sizeOf(one) > 0);
    pace.waits?.(isPressed ? lane : undefined);
  };

  const expectedMs = (request: Waiting): number => {
    const byPlaces = (concurrency.limit() * 1_000) / Math.max(1, serviceMs);
    const perSecond = Math.min(byPlaces, pace.perSecond() ?? Infinity);
    return pace.waitMs(clock.nowMs()) + (lanes.ahead(request) / perSecond) * 1_000;
  };

  const refuseOverBound = (request: Request): void => {
    const { lane, leftMs, wasRefused } = request;
    const pauseMs = pace.waitMs(clock.nowMs());
    const waitMs = expectedMs(request);
    const isTooLong = waitMs > LONGEST_WAIT_MS[lane] && lanes.sizeOf(lane) >= ALWAYS_WAITING;
    if (pauseMs < leftMs && (wasRefused || !isTooLong)) return;
    // Those that were refused come back while others still wait, and not all at once.
    const retryAfterMs = pauseMs + (waitMs - pauseMs) * (0.25 + random() / 2);
    throw new NotSentError('rate-limited', 'too many requests to the service wait', {
      retryAfterMs: Math.max(LEAST_TOLD_MS, Math.ceil(retryAfterMs)),
    });
  };

  return {
    /**
     * Resolves when the request may be sent. Rejects with the signal's reason, and with a
     * `NotSentError` when too many wait before it.
     */
    admit: async (request: Request): Promise<Permit> => {
      const { lane, space, signal, wasRefused } = request;
      signal.throwIfAborted();
      refuseOverBound(request);
      const admitted = Promise.withResolvers<Permit>();
      const leave = (): void => {
        lanes.remove(job);
        admitted.reject(signal.reason);
        pump();
      };
      const job: Job = { lane, space, signal, sinceMs: clock.nowMs(), admitted, leave };
      signal.addEventListener('abort', leave, { once: true });
      lanes.add(job, wasRefused);
      pump();
      return admitted.promise;
    },
    /** Rejects all requests that wait. */
    shed: (error: Error): void => {
      for (const { admitted, signal, leave } of lanes.clear()) {
        signal.removeEventListener('abort', leave);
        admitted.reject(error);
      }
    },
    /** Requests a second that the service is known to allow; undefined while no limit is known. */
    perSecond: (): number | undefined => pace.perSecond(),
  };
};
