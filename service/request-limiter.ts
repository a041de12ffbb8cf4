import { ContractError } from './errors.ts';
import { FairQueue } from './fair-queue.ts';

/** Wait that clients are asked for when a queue is full; an engine's typical call is shorter. */
const RETRY_AFTER_MS = 1_000;

/** A request that a limiter has let in. It asks for one turn after the other. */
export interface AdmittedRequest extends Disposable {
  /** Resolves when it may work; disposing of the result ends the turn. Rejects with the signal's reason. */
  turn(signal: AbortSignal): Promise<Disposable>;
}

/**
 * Gives an engine's time to requests, in turns. Keys take turns, and so do the requests of a key. A
 * request's first turn comes before later turns of others, but no two in a row while those wait: a
 * short request passes long ones, and many short ones do not stop a long one.
 */
export interface RequestLimiter {
  /** Lets a request in. Throws `ErrRateLimited` when too many are in already. */
  admit(key?: string): AdmittedRequest;
  /** Lets a request of one turn in and resolves with that turn. Rejects as `admit` and `turn` do. */
  acquire(signal: AbortSignal, key?: string): Promise<Disposable>;
}

export interface RequestLimits {
  /** Turns at the same time. */
  readonly concurrent: number;
  /** Further requests that may be in. */
  readonly waiting: number;
}

export const createRequestLimiter = ({ concurrent, waiting }: RequestLimits): RequestLimiter => {
  type Start = () => void;
  const first = new FairQueue<Start>();
  const later = new FairQueue<Start>();
  let free = concurrent;
  let admitted = 0;
  let wasFirst = false;

  const startNext = (): void => {
    const takesFirst = !first.isEmpty && (later.isEmpty || !wasFirst);
    const start = takesFirst ? first.shift() : later.shift();
    if (!start) return;
    wasFirst = takesFirst;
    free -= 1;
    start();
  };

  const endTurn = (): Disposable => {
    let isHeld = true;
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return;
        isHeld = false;
        free += 1;
        startNext();
      },
    };
  };

  const turnOf = async (
    queue: FairQueue<Start>,
    key: string,
    signal: AbortSignal,
  ): Promise<Disposable> => {
    signal.throwIfAborted();
    const started = Promise.withResolvers<Disposable>();
    const start = (): void => started.resolve(endTurn());
    const leave = (): void => {
      if (queue.remove(key, start)) started.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    queue.push(key, start);
    if (free > 0) startNext();
    try {
      return await started.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };

  const admit = (key = ''): AdmittedRequest => {
    if (admitted >= concurrent + waiting)
      throw new ContractError(
        'ErrRateLimited',
        `Too many requests. Retry after ${RETRY_AFTER_MS / 1000}s`,
        { context: ['limit'], retryAfterMs: RETRY_AFTER_MS },
      );
    admitted += 1;
    let isIn = true;
    let queue = first;
    return {
      turn: (signal) => {
        const waited = turnOf(queue, key, signal);
        queue = later;
        return waited;
      },
      [Symbol.dispose]: () => {
        if (isIn) admitted -= 1;
        isIn = false;
      },
    };
  };

  return {
    admit,
    acquire: async (signal, key) => {
      const request = admit(key);
      try {
        const turn = await request.turn(signal);
        return {
          [Symbol.dispose]: () => {
            request[Symbol.dispose]();
            turn[Symbol.dispose]();
          },
        };
      } catch (error) {
        request[Symbol.dispose]();
        throw error;
      }
    },
  };
};
