import { createSemaphore, type Semaphore } from '../src/async/semaphore.ts';
import { ContractError } from './errors.ts';

/** Wait that clients are asked for when a queue is full; an engine's typical call is shorter. */
const RETRY_AFTER_MS = 1_000;

/** Permits for requests; `acquire` throws `ErrRateLimited` when the queue is full. */
export type RequestLimiter = Pick<Semaphore, 'acquire'>;

export interface RequestLimits {
  /** Requests that are served at the same time. */
  readonly concurrent: number;
  /** Further requests that wait. */
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
