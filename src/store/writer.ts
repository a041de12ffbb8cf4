import { isStorageFault } from '../sqlite/disk-fault.ts';
import type { Transaction } from 'kysely';
import { AppError } from '../errors.ts';
import type {
  StorePort,
  WriteOptions,
  Signals,
  SignalTopic,
  SignalTopics,
} from '../ports/store.ts';
import type { Schema } from './schema.ts';

/**
 * Makes everything written before the call survive a loss of power. Calls made while a sync runs
 * share the next one.
 */
export type DiskSync = () => Promise<void>;

/**
 * Creates a `DiskSync`.
 *
 * @param flush syncs to disk everything written before it is called
 */
export const createDiskSync = (flush: () => Promise<void>): DiskSync => {
  let running: Promise<void> | undefined;
  let following: Promise<void> | undefined;

  const start = (): Promise<void> => {
    const turn = flush().finally(() => {
      if (running === turn) running = undefined;
    });
    running = turn;
    return turn;
  };
  const follow = async (before: Promise<void>): Promise<void> => {
    await before.catch(() => undefined);
    following = undefined;
    await start();
  };

  return () => {
    if (!running) return start();
    following ??= follow(running);
    return following;
  };
};

/** The setting of writes that can be redone: they wait for no disk and may be lost with the machine. */
export const RELAXED = { durable: false } as const;
/** The same, for writes whose statements need no transaction. */
export const SEPARATE_RELAXED = { ...RELAXED, separate: true } as const;

export type Write<T> = (db: Transaction<Schema>) => Promise<T>;

/** Groups writes made at the same moment into one transaction, so that they share one sync. */
export type StoreWriter = Pick<StorePort<Transaction<Schema>>, 'write' | 'written'>;

interface Waiting extends Required<WriteOptions> {
  readonly run: (db: Transaction<Schema>) => Promise<void>;
  /** Called once the transaction is committed, before it is synced. */
  readonly committed: () => void;
  readonly done: () => void;
  readonly fail: (thrown: unknown) => void;
}

/** Most writes of one transaction, about 0.1 ms each; the event loop runs between two transactions. */
const WRITES_AT_ONCE = 32;
/** Most writes that wait; a database that is away for a while fills no memory. */
const MOST_WAITING = 20_000;

/** Runs a transaction to its commit, or statements that need none; again where they failed for a reason that passes. */
export type Transact = (run: Write<void>, options: Required<WriteOptions>) => Promise<void>;

/**
 * Creates the writer of a database.
 *
 * @param synced syncs to disk everything committed before it is called
 * @param collect ends a write within its transaction; returns the function to call after the
 * commit, before which the write does not resolve
 */
export const createStoreWriter = (
  transact: Transact,
  synced: DiskSync,
  collect: (db: Transaction<Schema>) => () => Promise<void> = () => async () => undefined,
): StoreWriter => {
  const waiting: Waiting[] = [];
  const syncing = new Set<Promise<void>>();
  let working: Promise<void> | undefined;

  /** Syncs a batch to disk; later writes need not wait for it. */
  const sync = (batch: readonly Waiting[]): void => {
    const end = async (): Promise<void> => {
      try {
        await synced();
        for (const { done } of batch) done();
      } catch (thrown) {
        for (const { fail } of batch) fail(thrown);
      }
    };
    const ending = end();
    syncing.add(ending);
    void ending.then(() => syncing.delete(ending));
  };

  const commit = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await transact(
        async (transaction) => {
          for (const write of batch) await write.run(transaction);
        },
        {
          durable: batch.some(({ durable }) => durable),
          // Several share one commit.
          separate: batch.length === 1 && batch[0]!.separate,
        },
      );
      for (const { committed } of batch) committed();
      for (const { durable, done } of batch) if (!durable) done();
      const unsafe = batch.filter(({ durable }) => durable);
      if (unsafe.length > 0) sync(unsafe);
    } catch (thrown) {
      // No write is to blame for a database that cannot be used, and some may have been committed without an answer.
      if (batch.length === 1 || isStorageFault(thrown)) for (const { fail } of batch) fail(thrown);
      else for (const write of batch) await commit([write]);
    }
  };

  const work = async (): Promise<void> => {
    while (waiting.length > 0) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      await commit(waiting.splice(0, WRITES_AT_ONCE));
    }
    working = undefined;
  };

  const add = <T>(run: Write<T>, options: Required<WriteOptions>): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let result: T;
      let deliver: () => Promise<void>;
      let delivered: Promise<void>;
      if (waiting.length >= MOST_WAITING)
        throw new AppError('unavailable', 'too many writes wait for the database', {
          sentence: { key: 'errors.storage' },
          retryable: true,
        });
      waiting.push({
        ...options,
        run: async (db) => {
          result = await run(db);
          deliver = collect(db);
        },
        committed: () => {
          delivered = deliver();
          delivered.catch(() => undefined);
        },
        done: () => void delivered.then(() => resolve(result), reject),
        fail: reject,
      });
      working ??= work();
    });

  return {
    write: (run, { durable = true, separate = false } = {}) => add(run, { durable, separate }),
    written: async () => {
      await working;
      await Promise.all(syncing);
    },
  };
};

/**
 * Watches writes for faults of the disk or the server.
 *
 * @param probe changes something that nothing else uses
 */
export const createFaultWatch = (
  { write: writeOnce }: Pick<StoreWriter, 'write'>,
  probe: Write<unknown>,
) => {
  let fault: AppError | undefined;

  const write: StoreWriter['write'] = async (work, options) => {
    try {
      const result = await writeOnce(work, options);
      fault = undefined;
      return result;
    } catch (thrown) {
      if (isStorageFault(thrown)) fault = thrown;
      throw thrown;
    }
  };

  return {
    write,
    /** See `Store.findFault`. */
    findFault: async ({ anew = false } = {}): Promise<AppError | undefined> => {
      if (!fault && !anew) return undefined;
      try {
        await write(probe);
      } catch (thrown) {
        if (!isStorageFault(thrown)) throw thrown;
      }
      return fault;
    },
  };
};

interface Published {
  readonly topic: SignalTopic;
  readonly changed: SignalTopics[SignalTopic];
}

type Receive = (changed: never) => Promise<void> | void;

/** Signals within one process. */
export interface LocalSignals<Within> extends Signals<Within> {
  /** Calls the subscribers of a topic, one after the other. Rejects as they do. */
  readonly deliver: (
    topic: SignalTopic,
    changed: SignalTopics[SignalTopic] | undefined,
  ) => Promise<void>;
  /**
   * Ends one write of a transaction. Returns the function that delivers its signals, to be called
   * once the transaction is committed.
   */
  collect(within: Within): () => Promise<void>;
}

/**
 * Creates the signals of a database that only one process uses.
 *
 * @param pause waited for before a rejected change is delivered again, as any change of its topic, until no subscriber
 * rejects it. Gets the number of such deliveries before, and what was thrown last. A rejection of `pause` ends that.
 * Default: nothing is delivered again
 */
export const createLocalSignals = <Within extends object>(
  pause?: (before: number, topic: SignalTopic, thrown: unknown) => Promise<void>,
): LocalSignals<Within> => {
  const subscribers = new Map<SignalTopic, Set<Receive>>();
  const published = new WeakMap<Within, Published[]>();
  /** The topics that are to be delivered again, with what was thrown last. */
  const owed = new Map<SignalTopic, unknown>();
  const redelivering = new Set<SignalTopic>();

  const deliver: LocalSignals<Within>['deliver'] = async (topic, changed) => {
    for (const receive of subscribers.get(topic) ?? []) await receive(changed as never);
  };

  const redeliver = async (topic: SignalTopic): Promise<void> => {
    if (redelivering.has(topic)) return;
    redelivering.add(topic);
    for (let before = 0; owed.has(topic); before += 1) {
      await pause?.(before, topic, owed.get(topic));
      owed.delete(topic);
      await deliver(topic, undefined).catch((thrown: unknown) => owed.set(topic, thrown));
    }
    redelivering.delete(topic);
  };

  return {
    publish: async (within, topic, changed) => {
      published.set(within, [...(published.get(within) ?? []), { topic, changed }]);
    },
    subscribe: (topic, receive) => {
      const all = subscribers.get(topic) ?? new Set();
      // The same function may subscribe twice.
      const own: Receive = (changed) => receive(changed);
      subscribers.set(topic, all.add(own));
      return () => void all.delete(own);
    },
    isCurrent: (...topics) => !topics.some((topic) => redelivering.has(topic)),
    deliver,
    collect: (within) => {
      const all = published.get(within) ?? [];
      published.delete(within);
      return async () => {
        for (const [at, { topic, changed }] of all.entries())
          await deliver(topic, changed).catch((thrown: unknown) => {
            for (const later of pause ? all.slice(at) : []) {
              owed.set(later.topic, thrown);
              redeliver(later.topic).catch(() => undefined);
            }
            throw thrown;
          });
      };
    },
  };
};
