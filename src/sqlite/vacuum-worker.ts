/** Rewrites a database; ends with the error where it cannot. */
import { workerData } from 'node:worker_threads';
import { DatabaseSync } from 'node:sqlite';

const { path, busyMs } = workerData as { readonly path: string; readonly busyMs: number };
const database = new DatabaseSync(path, { timeout: busyMs });
// In memory: a copy in a temporary file would outlive a loss of power.
database.exec('PRAGMA temp_store = MEMORY; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)');
database.close();
