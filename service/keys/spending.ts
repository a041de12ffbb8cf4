import type { Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/log.ts';

/** Time in which amounts are collected before they are written; a killed process loses those. */
const WRITE_MS = 500;

/** Amounts in nano-USD by the hash of a key. */
export type Amounts = ReadonlyMap<string, number>;

/** Collects what keys spend and writes it together. Disposing of it writes the rest. */
export interface Spending extends AsyncDisposable {
  /** Nano-USD that a key has spent and that is not written yet. */
  unwritten(hash: string): number;
  add(hash: string, nanoUsd: number): void;
}

export interface SpendingDeps {
  /** Writes amounts, all or none; resolves with false when it cannot be done now. */
  readonly write: (amounts: Amounts) => Promise<boolean>;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn'>;
}

export const createSpending = ({ write, clock, log }: SpendingDeps): Spending => {
  let amounts = new Map<string, number>();
  let beingWritten: Amounts = new Map();
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;

  const addTo = (hash: string, nanoUsd: number): void => {
    amounts.set(hash, (amounts.get(hash) ?? 0) + nanoUsd);
  };
  const writeAll = async (): Promise<void> => {
    beingWritten = amounts;
    amounts = new Map();
    let isWritten = false;
    try {
      isWritten = await write(beingWritten);
    } catch (error) {
      log.warn({ err: error }, 'what keys spent cannot be written; it is tried again');
    }
    const before = beingWritten;
    beingWritten = new Map();
    if (!isWritten) for (const [hash, nanoUsd] of before) addTo(hash, nanoUsd);
  };
  const later = (): void => {
    if (running) return;
    cancel ??= clock.after(WRITE_MS, () => {
      cancel = undefined;
      running = writeAll().finally(() => {
        running = undefined;
        if (amounts.size > 0) later();
      });
    });
  };

  return {
    unwritten: (hash) => (amounts.get(hash) ?? 0) + (beingWritten.get(hash) ?? 0),
    add: (hash, nanoUsd) => {
      if (nanoUsd === 0) return;
      addTo(hash, nanoUsd);
      later();
    },
    [Symbol.asyncDispose]: async () => {
      await running;
      cancel?.();
      cancel = undefined;
      if (amounts.size > 0) await writeAll();
    },
  };
};
