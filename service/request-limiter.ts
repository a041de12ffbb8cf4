import { createSemaphore, type Semaphore } from '../src/async/semaphore.ts';
import { ContractError } from './errors.ts';

/** The wait that clients are told when a queue is full; an engine's typical call is shorter. */
const RETRY_AFTER_MS = 1_000;

/** Permits for requests; `acquire` throws `ErrRateLimited` where as many wait as may. */
export type RequestLimiter = Pick<Semaphore, 'acquire'>;

export interface RequestLimits {
  /** Requests that are served at the same moment. */
  readonly concurrent: number;
  /** Further ones that wait for their turn. */
  readonly waiting: number;
}

export const createRequestLimiter = ({ concurrent, waiting }: RequestLimits): RequestLimiter =>
  createSemaphore(concurrent, {
    most: waiting,
    full: () =>
      new ContractError(
        'ErrRateLimited',
        `Too many requests. Retry after ${RETRY_AFTER_MS / 1000}s`,
        { context: ['limit'], retryAfterMs: RETRY_AFTER_MS },
      ),
  });
