import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LOADING } from '../../src/process/loading.ts';
import type { Amounts } from './spending.ts';

/**
 * Creates the thread of a database; it starts with the first call. A write sometimes waits half a second for a busy
 * disk, which would stop everything else on the main thread.
 */
export const createWriteThread = (database: string) => {
  let worker: Worker | undefined;
  return {
    /** Takes amounts from the credits, all or none. Resolves with the reason when it cannot now. */
    spend: async (amounts: Amounts): Promise<string | undefined> => {
      const thread = (worker ??= new Worker(new URL('./write-worker.ts', import.meta.url), {
        workerData: database,
        execArgv: LOADING,
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
