import { sleep, type Clock } from '../async/clock.ts';
import type { Quota, QuotaRate } from '../ports/processes.ts';

/** The answer to a request for uses of a rate. */
export interface Grant {
  readonly granted: number;
  /** Time until one more can be given. */
  readonly waitMs: number;
}

/** Gives at most `most` uses of a rate. Rejects as the database does. */
export type GrantUses = (name: string, rate: QuotaRate, most: number) => Promise<Grant>;

/** The storage of the rates. */
export interface QuotaRows {
  readonly grant: GrantUses;
  readonly hold: (name: string, ms: number) => Promise<void>;
}

/** Longest time for which a rate is held; a longer one is held again by the next refusal. */
const LONGEST_HOLD_MS = 10_000;

/** Least wait for more of a rate that is used up: what comes meanwhile is asked for together. */
const LEAST_WAIT_MS = 20;
/** Longest wait before it is asked again: the database's clock may have been set meanwhile. */
const LONGEST_WAIT_MS = 1_000;
/** Wait for a database that is away, and longest time for which it is waited for. */
const AGAIN_MS = 500;
const AWAY_MS = 60_000;

interface Waiting {
  readonly done: () => void;
  readonly fail: (thrown: unknown) => void;
}

/** Creates a quota, which asks for as many uses as are waited for. */
export const createQuota = ({ grant, hold }: QuotaRows, clock: Clock): Quota => {
  const queues = new Map<string, Waiting[]>();

  const serve = async (name: string, rate: QuotaRate, queue: Waiting[]): Promise<void> => {
    let answeredMs = clock.nowMs();
    while (queue.length > 0) {
      const most = queue.length;
      let outcome: Grant = { granted: 0, waitMs: AGAIN_MS };
      try {
        outcome = await grant(name, rate, most);
        answeredMs = clock.nowMs();
      } catch (thrown) {
        if (clock.nowMs() - answeredMs >= AWAY_MS)
          for (const { fail } of queue.splice(0)) fail(thrown);
      }
      const { granted, waitMs } = outcome;
      for (const { done } of queue.splice(0, granted)) done();
      if (granted < most && queue.length > 0)
        await sleep(clock, Math.min(LONGEST_WAIT_MS, Math.max(LEAST_WAIT_MS, waitMs)));
    }
    queues.delete(name);
  };

  return {
    take: async (name, rate, signal) => {
      signal?.throwIfAborted();
      const given = Promise.withResolvers<void>();
      const queue = queues.get(name) ?? [];
      const waiting: Waiting = { done: given.resolve, fail: given.reject };
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
    hold: async (name, ms) => {
      if (ms > 0) await hold(name, Math.min(ms, LONGEST_HOLD_MS));
    },
  };
};

/** Creates the quota of a database that only one process uses: rates begin anew with it. */
export const createEmbeddedQuota = (clock: Clock): Quota => {
  /** Time whose uses are all given, by name. */
  const usedUntil = new Map<string, number>();
  const usedUntilMs = (name: string): number => usedUntil.get(name) ?? -Infinity;
  const rows: QuotaRows = {
    grant: async (name, { perSecond, burst }, most) => {
      const costMs = 1_000 / perSecond;
      const nowMs = clock.nowMs();
      const fromMs = Math.max(usedUntilMs(name), nowMs - burst * costMs);
      const free = Math.max(0, Math.floor((nowMs - fromMs) / costMs + 1e-9));
      const granted = Math.min(most, free);
      const untilMs = fromMs + granted * costMs;
      usedUntil.set(name, untilMs);
      return { granted, waitMs: untilMs + costMs - nowMs };
    },
    hold: async (name, ms) =>
      void usedUntil.set(name, Math.max(usedUntilMs(name), clock.nowMs() + ms)),
  };
  return createQuota(rows, clock);
};
