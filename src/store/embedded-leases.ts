import { orAborted } from '../async/abort.ts';
import { AppError } from '../errors.ts';
import type { Leases, Tenure } from '../ports/leases.ts';
import type { Store } from './index.ts';

/** The row whose epoch counts the starts of processes that held this database. */
const PROCESS = 'process';
/** Tenures that one process can give; the epochs of the next process begin above them. */
const TENURES_PER_PROCESS = 1_000_000_000;

/**
 * Leases of a database on which one process works at a time: it holds everything, so that a tenure is lost only
 * by its release. Epochs go on from start to start.
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
  /** The callers who wait for each name that is held. */
  const held = new Map<string, (() => void)[]>();
  let epoch = starts * TENURES_PER_PROCESS;

  const pass = (name: string): void => {
    const next = held.get(name)?.shift();
    if (next) next();
    else held.delete(name);
  };

  const wait = async (
    name: string,
    waiting: (() => void)[],
    signal: AbortSignal,
  ): Promise<void> => {
    const turn = Promise.withResolvers<void>();
    waiting.push(turn.resolve);
    try {
      await orAborted(turn.promise, signal);
    } catch (thrown) {
      const at = waiting.indexOf(turn.resolve);
      // Its turn may have come at the same moment.
      if (at < 0) pass(name);
      else waiting.splice(at, 1);
      throw thrown;
    }
  };

  return {
    acquire: async (name, signal) => {
      signal.throwIfAborted();
      const waiting = held.get(name);
      if (waiting) await wait(name, waiting, signal);
      else held.set(name, []);
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
          if (isReleased) return;
          isReleased = true;
          pass(name);
        },
      };
      return tenure;
    },
  };
};
