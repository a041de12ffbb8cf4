import { AsyncLocalStorage } from 'node:async_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import {
  DefaultRestOptions,
  HTTPError,
  REST,
  type RateLimitData,
  type RawFile,
  type RequestMethod,
  type RouteLike,
} from 'discord.js';
import { backoffMs } from '../../src/async/backoff.ts';
import { withOwnSignal } from '../../src/async/abort.ts';
import { fromDiscord, isTokenRefused, NotDiscordError } from './errors.ts';
import type { SharedLimits } from './shared-limits.ts';

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

/**
 * Requests to Discord's REST API; each rejects with an `AppError`, a `DiscordError` when refused.
 */
export interface Api {
  /**
   * Sends a request, again if the response is lost: for requests that may arrive twice or carry a
   * nonce.
   */
  readonly send: Send;
  /** Sends a request that must not arrive twice; never sends it again. */
  readonly sendOnce: Send;
  /** True when Discord accepted the token the last time it was used. */
  isTokenGood(): boolean;
  /** Passes the REST clients to a function that follows their responses. */
  watch(follow: (rest: REST) => void): void;
}

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
/** Tries of one request, as many as discord.js makes. */
const TRIES = 1 + DefaultRestOptions.retries;
const TOKEN_IN_PATH = /(\/(?:webhooks|interactions)\/\d+\/)[^/]+/;

/** The guard of the request under way: the library has requests wait for each other and for rate limits. */
const guarding = new AsyncLocalStorage<RequestOptions['assertHeld']>();

const sendNow: typeof DefaultRestOptions.makeRequest = async (url, init) => {
  guarding.getStore()?.();
  return DefaultRestOptions.makeRequest(url, init);
};

/**
 * Serialises a form before it is sent: discord.js and this process use different versions of
 * undici, which share one dispatcher but do not recognise each other's forms.
 */
const makeRequest: typeof DefaultRestOptions.makeRequest = async (url, init) => {
  if (!(init.body instanceof FormData)) return sendNow(url, init);
  const form = new Response(init.body);
  const headers = new Headers(init.headers as Record<string, string>);
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

export const createDiscordApi = (options: ApiOptions): Api => {
  // One client, so that requests share the known rate limits; retries are made here instead.
  const rest = new REST({ ...restOptions(options), retries: 0 }).setToken(options.token);
  // Answers to interactions are outside of the limit of all requests together, and have to be quick.
  const interactions = new REST({
    ...restOptions({ ...options, requestsPerSecond: Infinity }),
    retries: 0,
  });
  const watch = (follow: (client: REST) => void): void => [rest, interactions].forEach(follow);
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
      for (let attempt = 1; ; attempt += 1) {
        try {
          const isAnswer = route.startsWith('/interactions/');
          if (!isAnswer) await options.limits?.wait(requested.auth !== false, asked);
          // The library leaves a listener on each signal that it is given.
          const answer = (await withOwnSignal(asked, async (signal) =>
            guarding.run(assertHeld, async () =>
              (isAnswer ? interactions : rest).request({
                ...request,
                ...(signal ? { signal } : {}),
              }),
            ),
          )) as T;
          if (isPage(answer)) throw new NotDiscordError();
          if (requested.auth !== false) tokenIsGood = true;
          return answer;
        } catch (thrown) {
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

  return { send: sender(TRIES), sendOnce: sender(1), isTokenGood: () => tokenIsGood, watch };
};
