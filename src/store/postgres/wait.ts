import { sleep, type Clock } from '../../async/clock.ts';
import { backoffMs, type Backoff } from '../../async/backoff.ts';
import type { Log } from '../../telemetry/log.ts';
import { isStorageFault } from '../../sqlite/disk-fault.ts';

const BACKOFF: Omit<Backoff, 'random'> = { firstMs: 250, longestMs: 5_000 };
/** Time between two lines in the log. */
const SAY_MS = 30_000;

export interface WaitDeps {
  readonly log: Log;
  readonly clock: Clock;
  readonly random: () => number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
}

/** Opens something as soon as its database can be used. Rejects at once for what does not pass by itself. */
export const openWhenUsable = async <Opened>(
  open: () => Promise<Opened>,
  { log, clock, random, signal }: WaitDeps,
): Promise<Opened> => {
  let saidMs = -Infinity;
  for (let attempt = 0; ; attempt += 1)
    try {
      return await open();
    } catch (err) {
      if (!isStorageFault(err) || !err.retryable) throw err;
      if (clock.nowMs() - saidMs >= SAY_MS) {
        saidMs = clock.nowMs();
        log.warn({ err }, `${err.message}; waiting for it`);
      }
      await sleep(clock, backoffMs({ ...BACKOFF, random }, attempt), signal);
    }
};
