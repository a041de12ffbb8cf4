import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Amounts } from './spending.ts';

/**
 * A thread that writes to the database of keys. Now and then SQLite waits for the disk in a write,
 * for half a second on a busy one, which would stop everything else here.
 */
export interface WriteThread extends AsyncDisposable {
  /** Takes amounts from the credits, all or none. Resolves with the reason when it cannot now. */
  spend(amounts: Amounts): Promise<string | undefined>;
}

/** Creates the thread of a database; it starts with the first call. */
export const createWriteThread = (database: string): WriteThread => {
  let worker: Worker | undefined;
  return {
    spend: async (amounts) => {
      const thread = (worker ??= new Worker(new URL('./write-worker.ts', import.meta.url), {
        workerData: database,
      }));
      // A process ends when nothing is being written, and not before.
      thread.ref();
      try {
        const answered = once(thread, 'message') as Promise<[string | undefined]>;
        thread.postMessage(amounts, []);
        const [reason] = await answered;
        return reason;
      } catch (error) {
        worker = undefined;
        throw error;
      } finally {
        thread.unref();
      }
    },
    [Symbol.asyncDispose]: async () => {
      await worker?.terminate();
    },
  };
};
