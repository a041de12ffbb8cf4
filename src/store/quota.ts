import { sleep, type Clock } from '../async/clock.ts';
import type { Quota, QuotaRate } from '../ports/quota.ts';

/** The answer to a request for uses of a rate. */
export interface Grant {
  readonly granted: number;
  /** Time until one more can be given. */
  readonly waitMs: number;
}

/** Gives at most `wanted` uses of a rate. Rejects as the database does. */
export type GrantUses = (name: string, rate: QuotaRate, wanted: number) => Promise<Grant>;

/** Least wait for more of a rate that is used up: what comes meanwhile is asked for together. */
const LEAST_WAIT_MS = 20;
const AWAY_MS = 500;

interface Waiting {
  readonly done: () => void;
}

/** Creates a quota, which asks for as many uses as are waited for. */
export const createQuota = (grant: GrantUses, clock: Clock): Quota => {
  const queues = new Map<string, Waiting[]>();

  const serve = async (name: string, rate: QuotaRate, queue: Waiting[]): Promise<void> => {
    while (queue.length > 0) {
      const wanted = queue.length;
      const { granted, waitMs } = await grant(name, rate, wanted).catch(() => ({
        granted: 0,
        waitMs: AWAY_MS,
      }));
      for (const { done } of queue.splice(0, granted)) done();
      if (granted < wanted && queue.length > 0) await sleep(clock, Math.max(LEAST_WAIT_MS, waitMs));
    }
    queues.delete(name);
  };

  return {
    take: async (name, rate, signal) => {
      signal?.throwIfAborted();
      const given = Promise.withResolvers<void>();
      const queue = queues.get(name) ?? [];
      const waiting: Waiting = { done: given.resolve };
      const leave = (): void => {
        const at = queue.indexOf(waiting);
        if (at >= 0) queue.splice(at, 1);
        given.reject(signal?.reason);
      };
      signal?.addEventListener('abort', leave, { once: true });
      queue.push(waiting);
      if (!queues.has(name)) {
        queues.set(name, queue);
        void serve(name, rate, queue);
      }
      await given.promise.finally(() => signal?.removeEventListener('abort', leave));
    },
    tryTake: async (name, rate) => (await grant(name, rate, 1)).granted === 1,
  };
};
