import { createKeyedMutex } from '../../async/locks.ts';
import { AppError } from '../../errors.ts';
import type { Leases, Tenure, Work } from '../../ports/processes.ts';
import type { StoreWriter } from '../writer.ts';

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
  const working = new Map<string, Work>();
  const held = new Set<string>();
  let epoch = starts * TENURES_PER_PROCESS;

  const begin = (name: string, signal: AbortSignal, end: () => void): Tenure => {
    epoch += 1;
    let isReleased = false;
    const isHeld = (): boolean => !isReleased && !signal.aborted;
    return {
      name,
      epoch,
      signal,
      isHeld,
      assertHeld: () => {
        if (!isHeld()) throw new AppError('cancelled', 'the lease is not held any more');
      },
      release: async () => {
        if (isReleased) return;
        isReleased = true;
        end();
      },
    };
  };

  return {
    acquire: async (name, signal) => {
      signal.throwIfAborted();
      const turn = await turns.take(name, signal);
      held.add(name);
      return begin(name, signal, () => {
        held.delete(name);
        turn[Symbol.dispose]();
      });
    },
    isAnyHeld: async (set) => held.values().some((name) => name.startsWith(`${set}:`)),
    share: (set, size, work) => {
      const closing = new AbortController();
      const own = Array.from({ length: size }, (_, index) => {
        const name = `${set}:${index}`;
        const begun = work(begin(name, closing.signal, () => undefined));
        working.set(name, begun);
        return begun;
      });
      return {
        // All names are held from the start.
        stopClaiming: () => undefined,
        [Symbol.asyncDispose]: async () => {
          await Promise.all(own.map(async (each) => each[Symbol.asyncDispose]()));
          closing.abort(new AppError('cancelled', 'the lease is not held any more'));
        },
      };
    },
    tell: (name, message) => working.get(name)?.hear(message),
  };
};
