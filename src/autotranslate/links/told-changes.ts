import { MINUTE_MS } from '../../async/clock.ts';
import { createLru } from '../../async/lru.ts';
import { userError } from '../../errors.ts';
import { channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import type { Quota } from '../../ports/processes.ts';

const SECOND_MS = 1_000;
const RATE = { perSecond: SECOND_MS / MINUTE_MS, burst: 20 };
/** Untold pauses that a process remembers; the end of any other one is told. */
const MOST_UNTOLD = 1_000;

/**
 * Creates the limits of what a space has channels of others told of: so many lines at once, then one a minute. Ending its own
 * links is never limited, nor is the end of a pause of its own.
 */
export const createToldChanges = (quota: Pick<Quota, 'tryTake'>) => {
  const untold = createLru<string, true>(MOST_UNTOLD);
  return {
    demandSeldom: async (space: Space): Promise<void> => {
      if (!(await quota.tryTake(`${keyOf(space)} link-changes`, RATE)))
        throw userError('rate-limited', 'autotranslate.too-often');
    },
    /**
     * True where others are to be told that a channel is paused, or is no longer, which is where they were told of the
     * pause. This has a limit of its own, so that it takes nothing from what is decided about others.
     */
    isPauseTold: async (channel: Channel, isPausing: boolean): Promise<boolean> => {
      const key = channelKey(channel);
      const wasTold = !untold.get(key);
      untold.delete(key);
      if (!isPausing) return wasTold;
      const isTold = await quota.tryTake(`${keyOf(channel.space)} link-pauses`, RATE);
      if (!isTold) untold.set(key, true);
      return isTold;
    },
  };
};
