import { orAborted } from '../../async/abort.ts';
import { sleep, type Clock } from '../../async/clock.ts';
import { RELEASED } from './lease-rows.ts';
import type { ListenSession } from './session.ts';

/** The changes of a set, for somebody who waits for its leases. */
export interface SetWatch extends Disposable {
  /**
   * Waits until the set has changed since the last wait, at most for `forMs`. A change is answered only after a random
   * part of the set's spread, so that others are answered with it. Resolves with whether it has changed.
   */
  next(forMs: number, signal: AbortSignal): Promise<boolean>;
  /** Has processes answer a change at random times within `spreadMs`, and changes within that time be told once. */
  spread(spreadMs: number): void;
}

/** Tells those who wait for leases of a set that it has changed. */
export interface SetChanges {
  watch(set: string): SetWatch;
  /** True while every process is about to answer a change of the set that was told already. */
  isTold(set: string): boolean;
}

interface Watched {
  readonly wakes: Set<() => void>;
  spreadMs: number;
  toldMs: number;
}

export interface SetChangesDeps {
  readonly session: Pick<ListenSession, 'listen' | 'onReconnect'>;
  readonly clock: Clock;
  readonly random: () => number;
}

export const openSetChanges = async ({
  session,
  clock,
  random,
}: SetChangesDeps): Promise<SetChanges> => {
  const sets = new Map<string, Watched>();

  await session.listen(RELEASED, (set) => {
    const watched = sets.get(set);
    if (!watched) return;
    watched.toldMs = clock.nowMs();
    for (const wake of watched.wakes) wake();
  });
  // What was told meanwhile is missed.
  session.onReconnect(() => {
    for (const { wakes } of sets.values()) for (const wake of wakes) wake();
  });

  return {
    watch: (set) => {
      const watched = sets.get(set) ?? { wakes: new Set(), spreadMs: 0, toldMs: -Infinity };
      sets.set(set, watched);
      let hasChanged = false;
      let over = Promise.withResolvers<void>();
      const wake = (): void => {
        hasChanged = true;
        over.resolve();
      };
      watched.wakes.add(wake);
      return {
        next: async (forMs, signal) => {
          const cancel = clock.after(forMs, over.resolve);
          await orAborted(over.promise, signal).catch(() => undefined);
          cancel();
          if (hasChanged && watched.spreadMs > 0)
            await sleep(clock, random() * watched.spreadMs, signal).catch(() => undefined);
          const result = hasChanged;
          hasChanged = false;
          over = Promise.withResolvers();
          return result;
        },
        spread: (spreadMs) => {
          watched.spreadMs = spreadMs;
        },
        [Symbol.dispose]: () => {
          watched.wakes.delete(wake);
          if (watched.wakes.size === 0) sets.delete(set);
        },
      };
    },
    isTold: (set) => {
      const watched = sets.get(set);
      return watched !== undefined && clock.nowMs() - watched.toldMs < watched.spreadMs;
    },
  };
};
