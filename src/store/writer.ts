import { setTimeout as delay } from 'node:timers/promises';
import type { Kysely, Transaction } from 'kysely';
import { isLocked } from '../sqlite/disk-fault.ts';
import type { StorePort } from '../ports/store.ts';
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

export type Write<T> = (db: Transaction<Schema>) => Promise<T>;

/** Groups writes made at the same moment into one transaction, so that they share one sync. */
export type StoreWriter = Pick<StorePort<Transaction<Schema>>, 'write' | 'written'>;

interface Waiting {
  readonly durable: boolean;
  readonly run: (db: Transaction<Schema>) => Promise<void>;
  /** Called once the transaction is committed, before it is synced. */
  readonly committed: () => void;
  readonly done: () => void;
  readonly fail: (thrown: unknown) => void;
}

/**
 * Most writes of one transaction, about 0.1 ms each; the event loop runs between two transactions.
 */
const WRITES_AT_ONCE = 32;
/** Longest wait for another program's lock, and time between two tries. */
const LOCKED_MS = 5_000;
const LOCKED_AGAIN_MS = 5;

/**
 * Creates the writer of a database.
 *
 * @param synced syncs to disk everything committed before it is called
 * @param collect ends a write within its transaction; returns the function to call after the
 * commit, before which the write does not resolve
 */
export const createStoreWriter = (
  database: Pick<Kysely<Schema>, 'transaction'>,
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
      syncing.delete(ending);
    };
    const ending = end();
    syncing.add(ending);
  };

  /** Runs a transaction as soon as no other program has the lock of writers. */
  const transact = async (run: Write<void>): Promise<void> => {
    const startMs = performance.now();
    for (;;)
      try {
        return await database.transaction().execute(run);
      } catch (thrown) {
        if (!isLocked(thrown) || performance.now() - startMs > LOCKED_MS) throw thrown;
        await delay(LOCKED_AGAIN_MS);
      }
  };

  const commit = async (batch: readonly Waiting[]): Promise<void> => {
    try {
      await transact(async (transaction) => {
        for (const write of batch) await write.run(transaction);
      });
      for (const { committed } of batch) committed();
      for (const { durable, done } of batch) if (!durable) done();
      const unsafe = batch.filter(({ durable }) => durable);
      if (unsafe.length > 0) sync(unsafe);
    } catch (thrown) {
      if (batch.length === 1) batch[0]?.fail(thrown);
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

  const add = <T>(run: Write<T>, durable: boolean): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      let result: T;
      let deliver: () => Promise<void>;
      let delivered: Promise<void>;
      waiting.push({
        durable,
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
    write: (run, { durable = true } = {}) => add(run, durable),
    written: async () => {
      await working;
      await Promise.all(syncing);
    },
  };
};
