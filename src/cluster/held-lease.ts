import { whenAborted } from '../async/abort.ts';
import { sleep, type Clock } from '../async/clock.ts';
import type { Leases, Tenure } from '../ports/processes.ts';

const AGAIN_MS = 1_000;

/** Acquires a lease, and again whenever it was lost, until it is disposed of. Resolves once it is held for the first time. */
export const holdLease = async (
  leases: Pick<Leases, 'acquire'>,
  name: string,
  clock: Pick<Clock, 'after'>,
): Promise<AsyncDisposable> => {
  const over = new AbortController();
  let tenure: Tenure = await leases.acquire(name, over.signal);
  const holdOn = async (): Promise<void> => {
    let held: Tenure | undefined = tenure;
    while (!over.signal.aborted) {
      if (held) await whenAborted(held.signal);
      if (over.signal.aborted) return;
      held = await leases.acquire(name, over.signal).catch(() => undefined);
      if (held) tenure = held;
      else await sleep(clock, AGAIN_MS, over.signal).catch(() => undefined);
    }
  };
  void holdOn();
  return {
    [Symbol.asyncDispose]: async () => {
      over.abort();
      await tenure.release();
    },
  };
};
