import { ServiceError } from './errors.ts';

/** What clients are told to wait when a queue is full; an engine's typical call is shorter. */
const RETRY_AFTER_MS = 1_000;

export interface RequestLimiter {
  /**
   * Waits for a free place, first come first served; dispose of the place when the work is over.
   * Throws `ErrRateLimited` when too many wait already, and the signal's reason when it aborts.
   */
  enter(signal: AbortSignal): Promise<Disposable>;
}

export interface GateOptions {
  readonly concurrent: number;
  readonly waiting: number;
}

/** Lets at most `concurrent` through at once and holds at most `waiting` back. */
export const createRequestLimiter = ({ concurrent, waiting }: GateOptions): RequestLimiter => {
  let inside = 0;
  const queue: (() => void)[] = [];

  const place = (): Disposable => {
    let left = false;
    return {
      [Symbol.dispose]: () => {
        if (left) return;
        left = true;
        const next = queue.shift();
        if (next) next();
        else inside -= 1;
      },
    };
  };

  return {
    enter: async (signal) => {
      signal.throwIfAborted();
      if (inside < concurrent) {
        inside += 1;
        return place();
      }
      if (queue.length >= waiting)
        throw new ServiceError(
          'ErrRateLimited',
          `Too many requests. Retry after ${RETRY_AFTER_MS / 1000}s`,
          { context: ['limit'], retryAfterMs: RETRY_AFTER_MS },
        );
      return new Promise((resolve, reject) => {
        const enter = (): void => {
          signal.removeEventListener('abort', leave);
          resolve(place());
        };
        const leave = (): void => {
          queue.splice(queue.indexOf(enter), 1);
          reject(signal.reason as Error);
        };
        signal.addEventListener('abort', leave, { once: true });
        queue.push(enter);
      });
    },
  };
};
