import { orAborted } from '../async/abort.ts';
import { createKeyedMutex } from '../async/keyed-mutex.ts';
import { AppError } from '../errors.ts';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { Store } from './index.ts';

/** Name of the row whose epoch counts the processes that have opened this database. */
const PROCESS = 'process';
/** Most tenures of one process; the epochs of the next process begin above them. */
const TENURES_PER_PROCESS = 1_000_000_000;

/**
 * Opens the leases of a database that only one process uses at a time. A tenure ends only by its
 * release. Epochs grow across restarts.
 */
export const openEmbeddedLeases = async (store: Store, owner: string): Promise<Leases> => {
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
      const taking = turns.take(name);
      let turn: Disposable | undefined;
      try {
        turn = await orAborted(taking, signal);
      } catch (thrown) {
        // The turn still comes later and must be passed on.
        void taking.then((late) => late[Symbol.dispose]());
        throw thrown;
      }
      epoch += 1;
      const isHeld = (): boolean => turn !== undefined && !signal.aborted;
      const tenure: Tenure = {
        name,
        epoch,
        signal,
        isHeld,
        assertHeld: () => {
          if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
        },
        release: async () => {
          turn?.[Symbol.dispose]();
          turn = undefined;
        },
      };
      return tenure;
    },
  };
};
