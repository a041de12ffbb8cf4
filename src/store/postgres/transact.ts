import type { Kysely, Transaction } from 'kysely';
import { sleep, type Clock } from '../../async/clock.ts';
import type { Schema } from '../schema.ts';
import type { Transact } from '../writer.ts';
import { fromCommit, hasLost, isBrief } from './faults.ts';

/** Longest time for which writes wait for a database that is away, and time between two tries. */
const AWAY_MS = 8_000;
const AGAIN_MS = 250;
/** Tries of a transaction that loses against others. */
const TRIES = 10;

type Database = Pick<Kysely<Schema>, 'transaction' | 'connection'>;

/**
 * Creates the function that runs transactions, again where the server was away or another one won.
 *
 * @param relaxed the same database, whose commits wait for no disk
 */
export const createPostgresTransact = (db: Database, relaxed: Database, clock: Clock): Transact => {
  const once = async (...[run, { durable, separate }]: Parameters<Transact>) => {
    const used = durable ? db : relaxed;
    let isCommitting = false;
    try {
      if (separate) await used.connection().execute((within) => run(within as Transaction<Schema>));
      else
        await used.transaction().execute(async (within) => {
          await run(within);
          isCommitting = true;
        });
      return undefined;
    } catch (thrown) {
      // Whether a commit without an answer took place is not known.
      return isCommitting
        ? { thrown: fromCommit(thrown), mayTryAgain: false }
        : { thrown, mayTryAgain: true };
    }
  };
  return async (run, options) => {
    const startMs = clock.nowMs();
    for (let attempt = 1; ; attempt += 1) {
      const failed = await once(run, options);
      if (!failed) return;
      const { thrown, mayTryAgain } = failed;
      if (hasLost(thrown) && attempt < TRIES) continue;
      const isAway = isBrief(thrown) && mayTryAgain;
      if (!isAway || clock.nowMs() - startMs > AWAY_MS) throw thrown;
      await sleep(clock, AGAIN_MS);
    }
  };
};
