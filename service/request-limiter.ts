import { realClock, sleep, type Clock } from '../src/async/clock.ts';
import { createAllowance, type Allowance, type AllowanceRate } from './allowance.ts';
import { tooManyRequests } from './errors.ts';

/** Waiting items of several keys, which take turns; within a key the order is that of arrival. */
export class FairQueue<T> {
  /** The waiting items by key; the key whose turn is next comes first. */
  readonly #byKey = new Map<string, Set<T>>();

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  push(key: string, item: T): void {
    const items = this.#byKey.get(key);
    if (items) items.add(item);
    else this.#byKey.set(key, new Set([item]));
  }

  /** Takes out an item that stopped waiting; false when it was not there. */
  remove(key: string, item: T): boolean {
    const items = this.#byKey.get(key);
    const wasThere = items?.delete(item) ?? false;
    if (items?.size === 0) this.#byKey.delete(key);
    return wasThere;
  }

  /** Takes out the next item; its key then comes after the others. */
  shift(): T | undefined {
    for (const [key, items] of this.#byKey)
      for (const item of items) {
        items.delete(item);
        this.#byKey.delete(key);
        if (items.size > 0) this.#byKey.set(key, items);
        return item;
      }
    return undefined;
  }
}

/** Wait that clients are asked for when a queue is full; an engine's typical call is shorter. */
const RETRY_AFTER_MS = 1_000;
/** Longest wait of a new request for the engine's rate; beyond it another engine may answer. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Gives an engine's time to requests, in turns. Keys take turns, and so do the requests of a key. A
 * request's first turn comes before later turns of others, but no two in a row while those wait: a
 * short request passes long ones, and many short ones do not stop a long one.
 */
export type RequestLimiter = ReturnType<typeof createRequestLimiter>;

/** A request that a limiter has let in. It asks for one turn after the other. */
export type AdmittedRequest = ReturnType<RequestLimiter['admit']>;

/** The rate of an engine's calls, one a turn. Limiters for several of its abilities may share it. */
export interface CallRate extends Allowance {
  /** Requests in all these limiters that have not begun their first turn. */
  fresh: number;
}

export const createCallRate = (clock: Pick<Clock, 'nowMs'>, rate: AllowanceRate): CallRate => ({
  ...createAllowance(clock, rate),
  fresh: 0,
});

export interface RequestLimits {
  /** Turns at the same time. */
  readonly concurrent: number;
  /** Further requests that may be in. */
  readonly waiting: number;
  /** Default: any number of calls. */
  readonly rate?: CallRate | undefined;
  readonly clock?: Pick<Clock, 'after'>;
}

export const createRequestLimiter = (limits: RequestLimits) => {
  const { concurrent, waiting, rate, clock = realClock } = limits;
  type Start = () => void;
  const first = new FairQueue<Start>();
  const later = new FairQueue<Start>();
  let free = concurrent;
  let admitted = 0;
  let wasFirst = false;
  let isTimed = false;

  const startLater = (waitMs: number): void => {
    if (isTimed) return;
    isTimed = true;
    clock.after(waitMs, () => {
      isTimed = false;
      startNext();
    });
  };

  const startNext = (): void => {
    if (free <= 0 || (first.isEmpty && later.isEmpty)) return;
    if (rate && !rate.take(1)) return startLater(rate.waitMs(1));
    const takesFirst = !first.isEmpty && (later.isEmpty || !wasFirst);
    const start = takesFirst ? first.shift() : later.shift();
    if (!start) return;
    wasFirst = takesFirst;
    free -= 1;
    start();
    if (rate) startNext();
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
    onStart: () => void,
  ): Promise<Disposable> => {
    signal.throwIfAborted();
    const started = Promise.withResolvers<Disposable>();
    const start = (): void => {
      onStart();
      started.resolve(endTurn());
    };
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

  const admit = (key = '', longestWaitMs = LONGEST_WAIT_MS) => {
    if (admitted >= concurrent + waiting) throw tooManyRequests(RETRY_AFTER_MS);
    const waitMs = rate ? rate.waitMs(rate.fresh + 1) : 0;
    if (waitMs > longestWaitMs) throw tooManyRequests(waitMs);
    admitted += 1;
    if (rate) rate.fresh += 1;
    let isIn = true;
    let isFresh = true;
    const begin = (): void => {
      if (isFresh && rate) rate.fresh -= 1;
      isFresh = false;
    };
    let queue = first;
    return {
      /** Resolves when it may work; disposing of the result ends the turn. Rejects with the signal's reason. */
      turn: (signal: AbortSignal): Promise<Disposable> => {
        const waited = turnOf(queue, key, signal, begin);
        queue = later;
        return waited;
      },
      /** Resolves when the rate allows one more call within the same turn. Rejects with the signal's reason. */
      again: async (signal: AbortSignal): Promise<void> => {
        if (!rate) return;
        while (!rate.take(1)) await sleep(clock, rate.waitMs(1), signal);
      },
      [Symbol.dispose]: () => {
        begin();
        if (isIn) admitted -= 1;
        isIn = false;
      },
    };
  };

  /** Lets a request of one turn in and resolves with that turn. Rejects as `admit` and `turn` do. */
  const acquire = async (
    signal: AbortSignal,
    key?: string,
    longestWaitMs?: number,
  ): Promise<Disposable> => {
    const request = admit(key, longestWaitMs);
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
  };

  return {
    /**
     * Lets a request in. Throws `ErrRateLimited` when too many are in already, or for the rate.
     *
     * @param longestWaitMs longest wait for the rate. Default: 1 s
     */
    admit,
    acquire,
    /**
     * The same for what may be left undone: only while more than half of the turns are free and nobody
     * waits, so that it delays nobody. Rejects with `ErrRateLimited` otherwise.
     */
    acquireSpare: async (signal: AbortSignal, key?: string): Promise<Disposable> => {
      if (2 * free <= concurrent || !first.isEmpty || !later.isEmpty)
        throw tooManyRequests(RETRY_AFTER_MS);
      return acquire(signal, key, 0);
    },
  };
};
