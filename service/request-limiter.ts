import { realClock, type Clock } from '../src/async/clock.ts';
import { createAllowance, type Allowance, type AllowanceRate } from './allowance.ts';
import { addTo } from './count.ts';
import { tooManyRequests } from './errors.ts';
import { createFairLimit } from './fair-limit.ts';
import { FairQueue } from './fair-queue.ts';

/** Wait that clients are asked for when a queue is full; an engine's typical call is shorter. */
const RETRY_AFTER_MS = 1_000;
/** Longest wait of a new request for the engine's rate; beyond it another engine may answer. */
const LONGEST_WAIT_MS = 1_000;

/**
 * Gives an engine's time to requests, in turns. Keys take turns, and so do the requests of a key: its short
 * ones pass long ones, and many short ones do not stop a long one. What one key asks for costs no other its
 * place: each has its own, and where turns are many, none can have all of them.
 */
export type RequestLimiter = ReturnType<typeof createRequestLimiter>;

/** A request that a limiter has let in. It asks for one turn after the other. */
export type AdmittedRequest = ReturnType<RequestLimiter['admit']>;

/** The rate of an engine's calls, one a turn. Limiters for several of its abilities may share it. */
export interface CallRate extends Allowance {
  /** Requests of each key in all these limiters that have not begun their first turn. */
  readonly fresh: Map<string, number>;
}

/** The place in line of a key's next request, as keys take turns. */
const placeOf = ({ fresh }: CallRate, key: string): number => {
  const own = (fresh.get(key) ?? 0) + 1;
  return [...fresh].reduce(
    (sum, [other, count]) => (other === key ? sum : sum + Math.min(count, own)),
    own,
  );
};

export const createCallRate = (clock: Pick<Clock, 'nowMs'>, rate: AllowanceRate): CallRate => ({
  ...createAllowance(clock, rate),
  fresh: new Map(),
});

export interface RequestLimits {
  /** Turns at the same time. */
  readonly concurrent: number;
  /** Further requests of each key that may be in. */
  readonly waiting: number;
  /** Default: any number of calls. */
  readonly rate?: CallRate | undefined;
  readonly clock?: Pick<Clock, 'after'>;
}

export const createRequestLimiter = (limits: RequestLimits) => {
  const { concurrent, waiting, rate, clock = realClock } = limits;
  type Start = () => void;
  const turns = createFairLimit(concurrent);
  const queue = new FairQueue<Start>();
  const admitted = new Map<string, number>();
  /** Turns that are held or waited for. */
  let wanted = 0;
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
    const key = queue.nextKey((one) => turns.hasRoom(one, 1));
    if (key === undefined) return;
    if (rate && !rate.take(1)) return startLater(rate.waitMs(1));
    queue.shift(key)?.();
    startNext();
  };

  const beginTurn = (key: string, onEnd: () => void): Disposable => {
    turns.add(key, 1);
    const turn = new DisposableStack();
    turn.defer(() => {
      turns.add(key, -1);
      onEnd();
      startNext();
    });
    return turn;
  };

  const turnOf = async (
    key: string,
    isFirst: boolean,
    signal: AbortSignal,
    onStart: () => void,
    onEnd: () => void,
  ): Promise<Disposable> => {
    const started = Promise.withResolvers<Disposable>();
    const start = (): void => {
      onStart();
      started.resolve(beginTurn(key, onEnd));
    };
    const leave = (): void => {
      if (!queue.remove(key, start)) return;
      onEnd();
      started.reject(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    queue.push(key, start, isFirst);
    startNext();
    try {
      return await started.promise;
    } finally {
      signal.removeEventListener('abort', leave);
    }
  };

  const admit = (key = '', longestWaitMs = LONGEST_WAIT_MS) => {
    if ((admitted.get(key) ?? 0) >= concurrent + waiting) throw tooManyRequests(RETRY_AFTER_MS);
    const waitMs = rate ? rate.waitMs(placeOf(rate, key)) : 0;
    if (waitMs > longestWaitMs) throw tooManyRequests(waitMs);
    addTo(admitted, key, 1);
    if (rate) addTo(rate.fresh, key, 1);
    const held = new DisposableStack();
    held.defer(() => addTo(admitted, key, -1));
    let isFresh = true;
    const begin = (): void => {
      if (isFresh && rate) addTo(rate.fresh, key, -1);
      isFresh = false;
    };
    let isFirst = true;
    let own = 0;
    const want = (count: number): void => {
      own += count;
      wanted += count;
    };
    return {
      key,
      /** True while other requests have turns or wait for them. */
      get isBusy(): boolean {
        return wanted > own;
      },
      /** Resolves when it may work; disposing of the result ends the turn. Rejects with the signal's reason. */
      turn: async (signal: AbortSignal): Promise<Disposable> => {
        signal.throwIfAborted();
        want(1);
        const waited = turnOf(key, isFirst, signal, begin, () => want(-1));
        isFirst = false;
        return waited;
      },
      [Symbol.dispose]: () => {
        begin();
        held.dispose();
      },
    };
  };

  /** Lets a request of one turn in and resolves with that turn. Rejects as `admit` and `turn` do. */
  const acquire = async (
    signal: AbortSignal,
    key?: string,
    longestWaitMs?: number,
  ): Promise<Disposable> => {
    using held = new DisposableStack();
    const request = held.use(admit(key, longestWaitMs));
    held.use(await request.turn(signal));
    return held.move();
  };

  return {
    /**
     * Lets a request in. Throws `ErrRateLimited` when too many of its key are in, or for the rate.
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
      if (2 * turns.free <= concurrent || !queue.isEmpty) throw tooManyRequests(RETRY_AFTER_MS);
      return acquire(signal, key, 0);
    },
  };
};
