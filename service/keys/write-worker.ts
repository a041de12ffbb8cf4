import { parentPort, workerData } from 'node:worker_threads';
import type { Amounts } from './spending.ts';
import { openKeyStore } from './store.ts';

/** Longest wait for another process that writes. */
const BUSY_MS = 5_000;

const store = openKeyStore(workerData as string, BUSY_MS);
parentPort?.on('message', (amounts: Amounts) => {
  parentPort?.postMessage(store.spend(amounts), []);
});
