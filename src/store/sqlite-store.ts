import { randomUUID } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { Kysely, sql, type Transaction } from 'kysely';
import { realClock } from '../async/clock.ts';
import { openEmbeddedLeases } from './embedded-leases.ts';
import { createEmbeddedQuota } from './embedded-quota.ts';
import { createFaultWatch } from './fault-watch.ts';
import { markLostClaims, readBootId } from './inbox/lost-claims.ts';
import type { Store } from './store.ts';
import { guardLeftSpaces } from './left-spaces.ts';
import { createLocalSignals } from './local-signals.ts';
import { migrate } from './migrations/index.ts';
import type { Schema } from './schema.ts';
import { createTransact, openSqlite } from './sqlite.ts';
import { createDiskSync, createStoreWriter } from './writer.ts';

/**
 * Opens a store on SQLite, which one process uses at a time.
 *
 * @param path a file, whose folder is made when missing, or `:memory:`
 * @param bootIdOf the number of this start of the machine; undefined where it is not known
 */
export const openSqliteStore = async (path: string, bootIdOf = readBootId): Promise<Store> => {
  const { dialect, synced } = openSqlite(path);
  const db = new Kysely<Schema>({ dialect });
  await migrate(db);
  await guardLeftSpaces(db);
  await markLostClaims(db, bootIdOf());
  // Concurrent callers share one checkpoint. It waits for its turn at the only connection, because
  // SQLite refuses a checkpoint within a transaction.
  const checkpoint = createDiskSync(async () => {
    await setImmediate();
    await sql`PRAGMA wal_checkpoint(TRUNCATE)`.execute(db);
  });
  const signals = createLocalSignals<Transaction<Schema>>();
  const writer = createStoreWriter(createTransact(db), synced, (within) => signals.collect(within));
  // Nothing else uses this number in the file's header; setting it writes a page.
  const { write, findFault } = createFaultWatch(writer, (within) =>
    sql`PRAGMA user_version = 1`.execute(within),
  );
  const leases = await openEmbeddedLeases({ write }, randomUUID());
  return Object.assign(db, writer, {
    engine: 'sqlite' as const,
    write,
    signals,
    leases,
    quota: createEmbeddedQuota(realClock),
    checkpoint,
    findFault,
  });
};
