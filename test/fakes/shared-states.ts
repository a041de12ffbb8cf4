import { sleep, type Clock } from '../../src/async/clock.ts';
import type { SharedStates } from '../../src/ports/store.ts';

/** States in memory, as several processes share them. */
export interface SharedStatesFake {
  /** The states as one process has them. */
  readonly join: () => SharedStates;
  readonly texts: Map<string, string>;
  /** True while the database does not answer. */
  isAway: boolean;
  /** Changes so far. */
  changes: number;
}

/** Time in which a change is made, and in which news arrives. */
const TAKES_MS = 2;

export const createSharedStatesFake = (clock: Clock): SharedStatesFake => {
  const hearers = new Set<(name: string) => void>();
  const texts = new Map<string, string>();
  /** The database's clock is another one. */
  const EPOCH_MS = 1_700_000_000_000;
  const fake: SharedStatesFake = {
    texts,
    isAway: false,
    changes: 0,
    join: () => {
      const own = new Set<(name: string) => void>();
      return {
        change: async (name, change) => {
          await sleep(clock, TAKES_MS / 2);
          if (fake.isAway) throw new Error('the database is away');
          fake.changes += 1;
          const { state, isNews, result } = change(texts.get(name), EPOCH_MS + clock.nowMs());
          if (state !== undefined) texts.set(name, state);
          if (isNews)
            for (const hear of hearers)
              if (!own.has(hear)) clock.after(TAKES_MS / 2, () => hear(name));
          await sleep(clock, TAKES_MS / 2);
          return result;
        },
        watch: (hear) => {
          hearers.add(hear);
          own.add(hear);
          return () => void (hearers.delete(hear) && own.delete(hear));
        },
      };
    },
  };
  return fake;
};
