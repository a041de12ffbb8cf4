import { LogLevel, WebClient, type Logger } from '@slack/web-api';
import { backoffMs, realClock, sleep, type Clock } from '../../src/async/clock.ts';
import { createSemaphore, type Semaphore } from '../../src/async/locks.ts';
import { createLru } from '../../src/async/lru.ts';
import { AppError } from '../../src/errors.ts';
import type { Quota } from '../../src/ports/processes.ts';
import type { Space } from '../../src/model/place.ts';
import { fromSlack, isTokenEnded } from './errors.ts';
import type { Installations } from './install/installations.ts';
import {
  ANSWERING,
  LEVEL,
  type CallPriority,
  createHistoryLimits,
  createRateLimiter,
} from './rate-limiter.ts';
import { ANSWERS, type SlackMethod } from './limits.ts';

/** A page of a list, with what leads to the next one: "Pagination". */
interface Page {
  readonly response_metadata?: { readonly next_cursor?: string | undefined } | undefined;
}

/**
 * Reads a list page by page.
 *
 * @param read reads the page at the cursor; without one the first
 */
export const readCursorPages = async function* <One extends Page>(
  read: (at: { readonly cursor?: string }) => Promise<One>,
): AsyncGenerator<One, void, void> {
  let cursor: string | undefined;
  do {
    const page = await read(cursor === undefined ? {} : { cursor });
    yield page;
    cursor = page.response_metadata?.next_cursor || undefined;
  } while (cursor !== undefined);
};

type Args = Readonly<Record<string, unknown>>;

export interface SlackCallOptions {
  /** True for what must not happen twice: a lost answer is not followed by a second call. */
  readonly once?: boolean;
  /** Place among the calls that wait for the same rate. Default: as the method is used. */
  readonly priority?: CallPriority | undefined;
  /** True to wait for every rate limit, however long. */
  readonly waitsForRateLimit?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Throws where the call must not be made any more; called right before each request, after all waits. */
  readonly assertHeld?: (() => void) | undefined;
}

/** The answer to a method of a part of the client, as the library types it. */
type AnswerIn<Part, Path extends string> = Path extends `${infer Head}.${infer Rest}`
  ? AnswerIn<Part[Head & keyof Part], Rest>
  : Part[Path & keyof Part] extends (...args: never) => Promise<infer Answer>
    ? Answer
    : never;

export interface ApiOptions {
  /** URL of the Web API, with a slash at its end; undefined: Slack's own. */
  readonly url: string | undefined;
  readonly clock?: Clock;
  /** Random number from 0 to 1: the share of each retry's longest wait that is waited. */
  readonly random?: () => number;
  /** Every wait for a rate limit is so many times shorter; for servers with scaled limits. */
  readonly speed?: number;
  /** The rates that all processes on one database keep together; undefined where there is one alone. */
  readonly quota?: Pick<Quota, 'take'> | undefined;
  /** Called when Slack refuses a request for now. */
  readonly rateLimited?: () => void;
}

/** Requests of one workspace at the same time: one that does not answer keeps no other waiting. */
const REQUESTS_AT_ONCE = 20;
/** Workspaces whose requests are counted. */
const WORKSPACES = 10_000;
const REQUEST_MS = 15_000;
/** Tries of one call whose answer was lost. */
const TRIES = 4;
/** Longest wait for a rate limit here, in Slack's time; above it the caller waits. */
const LONGEST_RATE_LIMIT_MS = 35_000;
/** Shortest wait for a rate limit, in Slack's time. */
const SHORTEST_RATE_LIMIT_MS = 1_000;
/** Rate limits in a row that are waited for. */
const RATE_LIMITS = 3;

/**
 * Methods that want to be told the workspace with the token of an organisation; they ignore it
 * otherwise ("Organization-ready apps", "team_id").
 */
const OF_WORKSPACE: ReadonlySet<string> = new Set([
  'users.conversations',
  'usergroups.list',
  'usergroups.users.list',
  'users.list',
]);

/** The library's own log; it would hold people's texts. */
const silent: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  setLevel: () => {},
  getLevel: () => LogLevel.ERROR,
  setName: () => {},
};

export { silent as silentLogger };

export const clientOptions = (url: string | undefined) => ({
  ...(url === undefined ? {} : { slackApiUrl: url }),
  retryConfig: { retries: 0 },
  rejectRateLimitedCalls: true,
  timeout: REQUEST_MS,
  logger: silent,
});

const WORK: CallPriority = { level: LEVEL.work };

export type Api = ReturnType<typeof createSlackApi>;

/** Creates calls of Slack's Web API; each rejects with an `AppError`, a `SlackError` when refused. */
export const createSlackApi = (
  apiOptions: ApiOptions,
  tokens: Pick<Installations, 'tokenOf' | 'tokenKnown' | 'tokenRefused'>,
) => {
  const { clock = realClock, random = Math.random, speed = 1 } = apiOptions;
  const client = new WebClient(undefined, {
    ...clientOptions(apiOptions.url),
    // Calls wait here instead, before they are asked for.
    maxRequestConcurrency: Infinity,
  });
  const requests = createLru<string, Semaphore>(WORKSPACES);
  const requestsOf = ({ id }: Space): Semaphore => {
    const known = requests.get(id) ?? createSemaphore(REQUESTS_AT_ONCE);
    requests.set(id, known);
    return known;
  };
  const limiter = createRateLimiter(clock, speed, apiOptions.quota);
  const history = createHistoryLimits(limiter);
  const backoff = { firstMs: 500, longestMs: 4_000, random };
  /** Tokens that Slack refused, by the workspace. Another process may have stored another one since. */
  const refused = new Map<string, string>();

  const callOnce = async (
    space: Space,
    method: SlackMethod,
    args: Args,
    assertHeld: (() => void) | undefined,
  ): Promise<unknown> => {
    const token = await tokens.tokenOf(space);
    if (token === undefined)
      throw new AppError('unavailable', 'the app is not installed in this workspace', {
        retryable: true,
      });
    try {
      const team = OF_WORKSPACE.has(method) ? { team_id: space.id } : {};
      const result = await requestsOf(space).use(async () => {
        assertHeld?.();
        return client.apiCall(method, { ...team, ...args, token });
      });
      refused.delete(space.id);
      return result;
    } catch (thrown) {
      const fault = fromSlack(thrown, method, speed);
      if (isTokenEnded(fault)) tokens.tokenRefused(space, token);
      // A token that was renewed meanwhile, here or in another process, is tried at once.
      const next = isTokenEnded(fault) ? await tokens.tokenOf(space) : token;
      if (next !== undefined && next !== token) return callOnce(space, method, args, assertHeld);
      if (isTokenEnded(fault)) refused.set(space.id, token);
      throw fault;
    }
  };

  /** The wait before another try; undefined where there is none. */
  const waitAfter = (
    { code, retryable, retryAfterMs }: AppError,
    attempt: number,
    {
      isOnce,
      waitsForRateLimit,
    }: { readonly isOnce: boolean; readonly waitsForRateLimit: boolean },
  ): number | undefined => {
    if (!retryable) return undefined;
    if (code === 'rate-limited') {
      const waitMs = Math.max(retryAfterMs ?? 0, SHORTEST_RATE_LIMIT_MS / speed);
      const isShort = attempt <= RATE_LIMITS && waitMs <= LONGEST_RATE_LIMIT_MS / speed;
      return waitsForRateLimit || isShort ? waitMs : undefined;
    }
    return isOnce || attempt >= TRIES ? undefined : backoffMs(backoff, attempt - 1);
  };

  return {
    /** Calls a method as the bot of a workspace. */
    call: async <Method extends SlackMethod>(
      space: Space,
      method: Method,
      args: Args = {},
      options: SlackCallOptions = {},
    ): Promise<AnswerIn<WebClient, Method>> => {
      const { once = false, waitsForRateLimit = false, signal, assertHeld } = options;
      const priority = options.priority ?? (ANSWERS.has(method) ? ANSWERING : WORK);
      for (let attempt = 1; ; attempt += 1) {
        await limiter.take(space, method, args['channel'], priority, signal);
        try {
          return (await callOnce(space, method, args, assertHeld)) as AnswerIn<WebClient, Method>;
        } catch (thrown) {
          const fault = fromSlack(thrown, method, speed);
          const isOnce = once || isTokenEnded(fault);
          const waitMs = waitAfter(fault, attempt, { isOnce, waitsForRateLimit });
          if (fault.code === 'rate-limited') {
            apiOptions.rateLimited?.();
            const { retryAfterMs = 0 } = fault;
            history.refused(space, method, retryAfterMs * speed);
            limiter.hold(space, method, args['channel'], waitMs ?? retryAfterMs);
          }
          if (waitMs === undefined || signal?.aborted) throw fault;
          if (fault.code !== 'rate-limited') await sleep(clock, waitMs, signal);
        }
      }
    },
    /** True unless Slack refused the workspace's token the last time it was used. */
    isTokenGood: (space: Space): boolean => {
      const token = refused.get(space.id);
      return token === undefined || token !== tokens.tokenKnown(space);
    },
    /** Knowledge of whether Slack limits the app's history. */
    history,
  };
};
