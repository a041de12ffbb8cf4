import type { Clock } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { addTo } from '../count.ts';
import { formatUsd } from './prices.ts';

/** Time in which amounts are collected before they are written; a killed process loses those. */
const WRITE_MS = 500;
/** Longest time between two attempts while they fail; it doubles up to this. */
const LONGEST_RETRY_MS = 60_000;
/** Attempts at the end, with `WRITE_MS` between them. */
const LAST_ATTEMPTS = 3;

/** Amounts in nano-USD by the hash of a key. */
export type Amounts = ReadonlyMap<string, number>;

export interface SpendingDeps {
  /** Writes amounts, all or none; resolves with the reason when it cannot be done now. */
  readonly write: (amounts: Amounts) => Promise<string | undefined>;
  /** Waits at the end, when nothing else may keep the process alive. */
  readonly pause: (ms: number) => Promise<unknown>;
  /** Name of a key for the log. */
  readonly nameOf: (hash: string) => string;
  readonly clock: Pick<Clock, 'after'>;
  readonly log: Pick<Log, 'warn' | 'error'>;
}

/** Collects what keys spend and writes it together. Disposing of it writes the rest. */
export const createSpending = ({ write, pause, nameOf, clock, log }: SpendingDeps) => {
  let amounts = new Map<string, number>();
  let running: Promise<void> | undefined;
  let cancel: (() => void) | undefined;
  /** Attempts in a row that failed. */
  let failures = 0;

  const writeAll = async (): Promise<void> => {
    const writing = amounts;
    amounts = new Map();
    const reason = await write(writing).catch(String);
    failures = reason === undefined ? 0 : failures + 1;
    if (reason === undefined) return;
    for (const [hash, nanoUsd] of writing) addTo(amounts, hash, nanoUsd);
    log.warn({ reason }, 'what keys spent cannot be written; it is tried again');
  };
  const later = (): void => {
    if (running) return;
    const waitMs = Math.min(LONGEST_RETRY_MS, WRITE_MS * 2 ** failures);
    cancel ??= clock.after(waitMs, () => {
      cancel = undefined;
      running = writeAll().finally(() => {
        running = undefined;
        if (amounts.size > 0) later();
      });
    });
  };

  return {
    /**
     * Nano-USD that a key has spent and of which nothing is stored yet. It leaves out what is being
     * written, which may be stored already.
     */
    unwritten: (hash: string): number => amounts.get(hash) ?? 0,
    add: (hash: string, nanoUsd: number): void => {
      if (nanoUsd === 0) return;
      addTo(amounts, hash, nanoUsd);
      later();
    },
    [Symbol.asyncDispose]: async () => {
      await running;
      cancel?.();
      cancel = undefined;
      for (let attempt = 1; attempt <= LAST_ATTEMPTS && amounts.size > 0; attempt += 1) {
        if (attempt > 1) await pause(WRITE_MS);
        await writeAll();
      }
      if (amounts.size === 0) return;
      const lost = [...amounts].map(([hash, nanoUsd]) => [nameOf(hash), formatUsd(nanoUsd)]);
      log.error(
        { lost: Object.fromEntries(lost) as Record<string, string> },
        'what keys spent is lost: it could not be written before the end',
      );
    },
  };
};
