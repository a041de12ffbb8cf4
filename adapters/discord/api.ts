import {
  RESTEvents,
  RateLimitError,
  REST,
  type ResponseLike,
  DefaultRestOptions,
  HTTPError,
  type RateLimitData,
  type RawFile,
  type RequestMethod,
  type RouteLike,
} from 'discord.js';
import { type Clock, MINUTE_MS, backoffMs } from '../../src/async/clock.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Processes, QuotaRate } from '../../src/ports/processes.ts';
import { DiscordError, fromDiscord, isTokenRefused, NotDiscordError } from './errors.ts';
import { followClock } from './library-clock.ts';
import { isInvalid, RATE_LIMITED } from './metrics.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { withOwnSignal } from '../../src/async/abort.ts';

/**
 * Part of a second's requests that may come at once, and part that is left as a margin: requests that
 * were let through one after the other arrive together where the network holds them up.
 */
const BURST = 0.1;
/** Invalid requests of ten minutes: Discord bans an address at 10,000. */
const INVALID: QuotaRate = { perSecond: 8_000 / 600, burst: 8_000 };
/** Rate of all requests with the bot's token. */
const REQUESTS = 'discord-requests';
/** Wait where a refusal of all requests does not say a sensible one. */
const UNSAID_MS = 1_000;

/** Time for which Discord refuses every request of the bot; undefined where it refuses only some. */
const globalWaitMs = ({ status, headers }: ResponseLike): number | undefined => {
  if (status !== RATE_LIMITED || !headers.has('x-ratelimit-global')) return undefined;
  const seconds = Number(headers.get('retry-after'));
  return seconds > 0 && Number.isFinite(seconds) ? seconds * 1_000 : UNSAID_MS;
};

/** Time for which nothing is requested once they are used up. */
const PAUSE_MS = MINUTE_MS;

export interface SharedLimitsDeps {
  readonly processes: Pick<Processes, 'quota' | 'isAlone'>;
  readonly requestsPerSecond: number;
  readonly log: Log;
  readonly clock: Clock;
}

type SharedLimits = ReturnType<typeof createSharedLimits>;

/** Creates the limits of Discord that count the requests of all processes together. */
export const createSharedLimits = (deps: SharedLimitsDeps) => {
  const { processes, requestsPerSecond, log, clock } = deps;
  const { quota, isAlone } = processes;
  const burst = Math.max(1, Math.floor(requestsPerSecond * BURST));
  const rate = { perSecond: Math.max(1, requestsPerSecond - 2 * burst), burst };
  let pausedUntilMs = -Infinity;

  const noteInvalid = async (): Promise<void> => {
    if (await quota.tryTake('discord-invalid', INVALID)) return;
    if (clock.nowMs() >= pausedUntilMs)
      log.error(
        'Discord: thousands of requests were refused within ten minutes: none is sent for a minute, ' +
          'as more would ban this address',
      );
    pausedUntilMs = clock.nowMs() + PAUSE_MS;
  };

  return {
    /**
     * Waits until one more request may be sent. Rejects with `rate-limited` while too many were
     * refused, and with the signal's reason.
     *
     * @param isBots true for a request with the bot's token
     */
    wait: async (isBots: boolean, signal: AbortSignal | undefined): Promise<void> => {
      const pauseMs = pausedUntilMs - clock.nowMs();
      if (pauseMs > 0)
        throw new DiscordError('rate-limited', 'too many requests were refused: none is sent', {
          retryable: true,
          retryAfterMs: pauseMs,
        });
      // Alone, the library's own limit does.
      if (isBots && !isAlone) await quota.take(REQUESTS, rate, signal);
    },
    /** Counts what a REST client is refused, and has all processes wait where all requests are refused. */
    watch: (rest: Pick<REST, 'on'>): void => {
      rest.on(RESTEvents.Response, (_, response: ResponseLike) => {
        // Where the database is away, nothing is posted either.
        if (isInvalid(response)) noteInvalid().catch(() => undefined);
        const waitMs = globalWaitMs(response);
        // Alone, the library waits.
        if (waitMs !== undefined && !isAlone) quota.hold(REQUESTS, waitMs).catch(() => undefined);
      });
    },
  };
};

interface RequestOptions {
  readonly body?: unknown;
  readonly files?: readonly RawFile[];
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** Throws where the request must not be sent any more; called right before it is, after all waits. */
  readonly assertHeld?: (() => void) | undefined;
  /** False for routes with a token in the path. Default: true. */
  readonly auth?: boolean;
}

/** Options that keep a request from being sent once it must not be any more. */
export type RequestGuard = Pick<RequestOptions, 'signal' | 'assertHeld'>;

type Method = `${RequestMethod}`;
type Send = <T = unknown>(method: Method, route: RouteLike, options?: RequestOptions) => Promise<T>;

/** The settings of every connection to Discord. */
export type RestSettings = Pick<ApiOptions, 'url' | 'requestsPerSecond' | 'timeoutMs'>;

export interface ApiOptions {
  readonly url: string | undefined;
  readonly token: string;
  readonly requestsPerSecond: number;
  /** Longest time of one request. Default: 15 s, as in discord.js. */
  readonly timeoutMs?: number;
  /** Random number from 0 to 1: the share of each retry's longest wait that is waited. */
  readonly random?: () => number;
  /** The limits of all requests together. Default: those of the library, in this process. */
  readonly limits?: SharedLimits;
  /** Waits; may end early in any way when the signal is aborted. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Longest wait for a rate limit inside the library, where nobody can see or abort it. */
const LONGEST_RATE_LIMIT_MS = 10_000;
/** Jumps of the wall clock through which one request is kept. */
const MOST_MISCOUNTS = 3;
/** Tries of one request, as many as discord.js makes. */
const TRIES = 1 + DefaultRestOptions.retries;
const TOKEN_IN_PATH = /(\/(?:webhooks|interactions)\/\d+\/)[^/]+/;

/** The guard of the request under way: the library has requests wait for each other and for rate limits. */
const guarding = new AsyncLocalStorage<RequestOptions['assertHeld']>();

/** An option of undici: discord.js is made for a version of it that has HTTP/1.1 alone. */
const HTTP_1: object = { allowH2: false };

const sendNow: typeof DefaultRestOptions.makeRequest = async (url, init) => {
  guarding.getStore()?.();
  return DefaultRestOptions.makeRequest(url, { ...init, ...HTTP_1 });
};

/** Serialises a form before it is sent: undici and Node.js do not recognise each other's forms. */
const makeRequest: typeof DefaultRestOptions.makeRequest = async (url, init) => {
  if (!(init.body instanceof FormData)) return sendNow(url, init);
  const form = new Response(init.body);
  const headers = new Headers(init.headers);
  headers.set('content-type', form.headers.get('content-type') ?? '');
  const body = new Uint8Array(await form.arrayBuffer());
  return sendNow(url, {
    ...init,
    headers: Object.fromEntries(headers),
    body,
  });
};

export const restOptions = ({ url, requestsPerSecond, timeoutMs }: RestSettings) => ({
  ...(url === undefined ? {} : { api: url.replace(/\/+$/, '') }),
  ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  globalRequestsPerSecond: requestsPerSecond,
  rejectOnRateLimit: ({ retryAfter }: RateLimitData) => retryAfter > LONGEST_RATE_LIMIT_MS,
  makeRequest,
});

/** Error codes of Node.js and undici for a connection that broke during a request. */
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** True for an answer that is not Discord's, such as a proxy's page; a 204 has no content. */
const isPage = (answer: unknown): boolean => answer instanceof ArrayBuffer && answer.byteLength > 0;

/** True for a missing response or a server error: the request may have been carried out. */
const isLost = (thrown: unknown): boolean =>
  thrown instanceof HTTPError ||
  thrown instanceof NotDiscordError ||
  (thrown instanceof Error &&
    (thrown.name === 'AbortError' || ('code' in thrown && BROKEN.has(thrown.code))));

export type Api = ReturnType<typeof createDiscordApi>;

/** Creates requests to Discord's REST API; each rejects with an `AppError`, a `DiscordError` when refused. */
export const createDiscordApi = (options: ApiOptions) => {
  // One client, so that requests share the known rate limits; retries are made here instead.
  const rest = new REST({ ...restOptions(options), retries: 0 }).setToken(options.token);
  // Webhooks and answers to interactions go by a token of their own, outside of the limit of all requests together.
  const unlimited = new REST({
    ...restOptions({ ...options, requestsPerSecond: Infinity }),
    retries: 0,
  });
  const watch = (follow: (client: REST) => void): void => [rest, unlimited].forEach(follow);
  const hasJumped = followClock([rest, unlimited]);
  let jumps = 0;
  const follow = (): boolean => {
    const isJump = hasJumped();
    if (isJump) jumps += 1;
    return isJump;
  };
  for (const client of [rest, unlimited])
    client.options.rejectOnRateLimit = ({ retryAfter }) =>
      follow() || retryAfter > LONGEST_RATE_LIMIT_MS;
  watch((client) => options.limits?.watch(client));
  const { random = Math.random, sleep = async (ms, signal) => delay(ms, undefined, { signal }) } =
    options;
  const backoff = { firstMs: 500, longestMs: 2_000, random };
  let tokenIsGood = true;

  const pause = async (attempt: number, signal: AbortSignal | undefined): Promise<void> =>
    sleep(backoffMs(backoff, attempt), signal).catch(() => undefined);

  const sender =
    (tries: number): Send =>
    async <T>(method: Method, route: RouteLike, requested: RequestOptions = {}): Promise<T> => {
      const { query, files, signal: asked, assertHeld, ...others } = requested;
      const request = {
        ...others,
        method: method as RequestMethod,
        fullRoute: route,
        ...(files ? { files: [...files] } : {}),
        ...(query ? { query: new URLSearchParams(query) } : {}),
      };
      let miscounts = 0;
      for (let attempt = 1; ; attempt += 1) {
        follow();
        const jumpsBefore = jumps;
        try {
          const isAnswer = route.startsWith('/interactions/');
          if (!isAnswer) await options.limits?.wait(requested.auth !== false, asked);
          // The library leaves a listener on each signal that it is given.
          const answer = (await withOwnSignal(asked, async (signal) =>
            guarding.run(assertHeld, async () =>
              (isAnswer || requested.auth === false ? unlimited : rest).request({
                ...request,
                ...(signal ? { signal } : {}),
              }),
            ),
          )) as T;
          if (isPage(answer)) throw new NotDiscordError();
          if (requested.auth !== false) tokenIsGood = true;
          return answer;
        } catch (thrown) {
          // The wait was counted before the clock was set.
          const isMiscounted = thrown instanceof RateLimitError && jumps !== jumpsBefore;
          if (isMiscounted && miscounts < MOST_MISCOUNTS && !asked?.aborted) {
            miscounts += 1;
            attempt -= 1;
            continue;
          }
          if (attempt < tries && isLost(thrown) && !asked?.aborted) {
            await pause(attempt - 1, asked);
            if (!asked?.aborted) continue;
          }
          const what = `${method} ${route.replace(TOKEN_IN_PATH, '$1…')}`;
          const fault = fromDiscord(thrown, what, asked);
          if (isTokenRefused(fault) && requested.auth !== false) {
            tokenIsGood = false;
            // The library drops the token; during outages Discord has refused valid ones too.
            rest.setToken(options.token);
          }
          throw fault;
        }
      }
    };

  return {
    /**
     * Sends a request, again if the response is lost: for requests that may arrive twice or carry a
     * nonce.
     */
    send: sender(TRIES),
    /** Sends a request that must not arrive twice; never sends it again. */
    sendOnce: sender(1),
    /** True when Discord accepted the token the last time it was used. */
    isTokenGood: () => tokenIsGood,
    /** Passes the REST clients to a function that follows their responses. */
    watch,
  };
};
