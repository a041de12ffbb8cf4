import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { AppError } from '../errors.ts';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { StoreWriter } from './writer.ts';
import type { Signals, SignalTopic, SignalTopics } from '../ports/signals.ts';

/** Name of the row whose epoch counts the processes that have opened this database. */
const PROCESS = 'process';
/** Most tenures of one process; the epochs of the next process begin above them. */
const TENURES_PER_PROCESS = 1_000_000_000;

/**
 * Opens the leases of a database that only one process uses at a time. A tenure ends only by its
 * release. Epochs grow across restarts.
 */
export const openEmbeddedLeases = async (
  store: Pick<StoreWriter, 'write'>,
  owner: string,
): Promise<Leases> => {
  const { epoch: starts } = await store.write((db) =>
    db
      .insertInto('lease')
      .values({ name: PROCESS, owner, epoch: 1 })
      .onConflict((conflict) =>
        conflict.column('name').doUpdateSet((eb) => ({ owner, epoch: eb('lease.epoch', '+', 1) })),
      )
      .returning('epoch')
      .executeTakeFirstOrThrow(),
  );
  const turns = createKeyedMutex();
  let epoch = starts * TENURES_PER_PROCESS;

  return {
    acquire: async (name, signal) => {
      signal.throwIfAborted();
      const turn = await turns.take(name, signal);
      epoch += 1;
      let isReleased = false;
      const isHeld = (): boolean => !isReleased && !signal.aborted;
      const tenure: Tenure = {
        name,
        epoch,
        signal,
        isHeld,
        assertHeld: () => {
          if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
        },
        release: async () => {
          isReleased = true;
          turn[Symbol.dispose]();
        },
      };
      return tenure;
    },
  };
};

interface Published {
  readonly topic: SignalTopic;
  readonly changed: SignalTopics[SignalTopic];
}

type Receive = (changed: never) => Promise<void> | void;

/** Creates the signals of a database that only one process uses. */
export const createEmbeddedSignals = <Transaction extends object>() => {
  const subscribers = new Map<SignalTopic, Set<Receive>>();
  const published = new WeakMap<Transaction, Published[]>();

  const deliver = async (all: readonly Published[]): Promise<void> => {
    for (const { topic, changed } of all)
      for (const receive of subscribers.get(topic) ?? []) await receive(changed as never);
  };

  const signals: Signals<Transaction> = {
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
  };
  return {
    ...signals,
    /**
     * Ends one write of a transaction. Returns the function that delivers its signals, to be called
     * once the transaction is committed.
     */
    collect: (within: Transaction): (() => Promise<void>) => {
      const all = published.get(within) ?? [];
      published.delete(within);
      return () => deliver(all);
    },
  };
};
