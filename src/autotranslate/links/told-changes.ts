import { MINUTE_MS } from '../../async/clock.ts';
import { userError } from '../../errors.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { Quota } from '../../ports/processes.ts';

const SECOND_MS = 1_000;
const RATE = { perSecond: SECOND_MS / MINUTE_MS, burst: 20 };

/**
 * Creates the limit of what a space has channels of others told of: so many lines at once, then one a minute. Ending its own
 * links is never limited.
 */
export const createToldChanges =
  (quota: Pick<Quota, 'tryTake'>) =>
  async (space: Space): Promise<void> => {
    if (!(await quota.tryTake(`${keyOf(space)} link-changes`, RATE)))
      throw userError('rate-limited', 'autotranslate.too-often');
  };
