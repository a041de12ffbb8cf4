import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { fromDisk, isLocked } from './disk-fault.ts';

/** Largest file that is rewritten, while nobody writes: 20 MB took 70 ms, and a write waits for 5 s at most. */
export const MOST_REWRITTEN_BYTES = 256 * 1_024 * 1_024;
const BUSY_MS = 5_000;

export interface VacuumOptions {
  /** Largest file that is rewritten. Default: 256 MiB. */
  readonly mostBytes?: number;
  /** Longest wait for a write of somebody else. Default: 5 s. */
  readonly busyMs?: number;
}

/**
 * Rewrites the file of a database in a thread of its own, so that nothing deleted is left in it.
 * `secure_delete` alone leaves copies of rows that were moved when a page was divided. Does nothing
 * for a larger file, or while others keep the lock of writers. Rejects as `fromDisk` says.
 */
export const vacuum = async (
  path: string,
  { mostBytes = MOST_REWRITTEN_BYTES, busyMs = BUSY_MS }: VacuumOptions = {},
): Promise<void> => {
  const { size } = await stat(path);
  if (size > mostBytes) return;
  const worker = new Worker(new URL('./vacuum-worker.ts', import.meta.url), {
    workerData: { path, busyMs },
  });
  try {
    await once(worker, 'exit');
  } catch (thrown) {
    if (!isLocked(thrown)) throw fromDisk(thrown);
  }
};
