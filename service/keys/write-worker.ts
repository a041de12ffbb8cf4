import { parentPort, workerData } from 'node:worker_threads';
import { describeDiskFault } from '../../src/sqlite/disk-fault.ts';
import type { Amounts } from './spending.ts';
import { openKeyStore, type KeyStore } from './store.ts';

/** Longest wait for another process that writes. */
const BUSY_MS = 1_000;

let store: KeyStore | undefined;

/** Writes amounts, or returns the reason why it cannot. */
const spend = (amounts: Amounts): string | undefined => {
  try {
    store ??= openKeyStore(workerData as string, BUSY_MS);
    return store.spend(amounts) ? undefined : 'another process writes to the database';
  } catch (error) {
    return describeDiskFault(error) ?? (error instanceof Error ? error.message : String(error));
  }
};

parentPort?.on('message', (amounts: Amounts) => parentPort?.postMessage(spend(amounts), []));
