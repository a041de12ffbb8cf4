import { realClock, sleep } from '../async/clock.ts';
import type { Leases } from '../ports/processes.ts';

/**
 * Has something done now and then, by one process at a time, until it is disposed of.
 *
 * @param name one word, by which processes share it
 * @param everyMs time from one end to the next beginning
 * @param work never rejects
 */
export const startRepeated = (
  leases: Pick<Leases, 'share'>,
  name: string,
  everyMs: number,
  work: () => Promise<void>,
): AsyncDisposable =>
  leases.share(name, 1, ({ signal }) => {
    const ending = new AbortController();
    const over = AbortSignal.any([signal, ending.signal]);
    const repeat = async (): Promise<void> => {
      while (!over.aborted) {
        await work();
        await sleep(realClock, everyMs, over).catch(() => undefined);
      }
    };
    const repeated = repeat();
    return {
      hear: () => undefined,
      [Symbol.asyncDispose]: async () => {
        ending.abort();
        await repeated;
      },
    };
  });
