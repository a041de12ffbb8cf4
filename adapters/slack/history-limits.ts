import type { Space } from '../../src/model/place.ts';
import type { RateLimiter } from './rate-limiter.ts';
import {
  HISTORY_METHODS,
  isHistory,
  LIMITED_HISTORY,
  LIMITED_PAGE,
  RATES,
  type SlackMethod,
} from './rates.ts';

/** Shortest wait that tells Slack's limit on history from any other, in its own time. */
const LIMIT_MS = 20_000;

/** Messages of a page that Slack gave. */
interface Page {
  readonly asked: number;
  readonly got: number;
  readonly hasMore: boolean;
}

export interface HistoryLimits {
  /** True where the app gets 15 messages a minute, as commercial apps outside the Marketplace do. */
  isLimited(space: Space): boolean;
  /** Learns from a page: one that ends at 15 messages shows the limit, a longer one that there is none. */
  sawPage(space: Space, page: Page): void;
  /** Learns from a refusal: few calls were made, and Slack wants a long wait. */
  refused(space: Space, method: SlackMethod, toldMs: number): void;
}

/** Tracks whether Slack limits the app's history, which Slack does not say. */
export const createHistoryLimits = (
  limiter: Pick<RateLimiter, 'isFresh' | 'setRate'>,
): HistoryLimits => {
  const limited = new Set<string>();
  const setLimited = (space: Space, isLimited: boolean): void => {
    if (limited.has(space.id) === isLimited) return;
    if (isLimited) limited.add(space.id);
    else limited.delete(space.id);
    for (const method of HISTORY_METHODS)
      limiter.setRate(space, method, isLimited ? LIMITED_HISTORY : RATES[method]);
  };
  return {
    isLimited: ({ id }) => limited.has(id),
    sawPage: (space, { asked, got, hasMore }) => {
      if (got > LIMITED_PAGE) setLimited(space, false);
      else if (asked > LIMITED_PAGE && got === LIMITED_PAGE && hasMore) setLimited(space, true);
    },
    refused: (space, method, toldMs) => {
      if (isHistory(method) && toldMs >= LIMIT_MS && limiter.isFresh(space, method))
        setLimited(space, true);
    },
  };
};
