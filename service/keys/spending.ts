import type { Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/log.ts';
import type { KeyStore } from './store.ts';

/** Time in which amounts are collected before they are written; a killed process loses those. */
const WRITE_MS = 500;

/** Collects what keys spend and writes it to the database in one transaction. */
export interface Spending extends Disposable {
  /** Nano-USD that a key has spent and that is not written yet. */
  unwritten(hash: string): number;
  add(hash: string, nanoUsd: number): void;
}

export const createSpending = ({
  store,
  clock,
  log,
}: {
  readonly store: Pick<KeyStore, 'spend'>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}): Spending => {
  let amounts = new Map<string, number>();
  let cancel: (() => void) | undefined;

  const write = (): void => {
    cancel = undefined;
    if (amounts.size === 0) return;
    let isWritten = false;
    try {
      isWritten = store.spend(amounts);
    } catch (error) {
      log.warn({ err: error }, 'what keys spent cannot be written; it is tried again');
    }
    if (isWritten) amounts = new Map();
    else later();
  };
  const later = (): void => {
    cancel ??= clock.after(WRITE_MS, write);
  };

  return {
    unwritten: (hash) => amounts.get(hash) ?? 0,
    add: (hash, nanoUsd) => {
      if (nanoUsd === 0) return;
      amounts.set(hash, (amounts.get(hash) ?? 0) + nanoUsd);
      later();
    },
    [Symbol.dispose]: () => {
      cancel?.();
      write();
      cancel?.();
    },
  };
};
