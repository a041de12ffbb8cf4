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
import { fromDiscord, isTokenRefused } from './errors.ts';

interface RequestOptions {
  readonly body?: unknown;
  readonly files?: readonly RawFile[];
  readonly query?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
  /** False for routes whose token stands in the path. Default true. */
  readonly auth?: boolean;
}

type Method = `${RequestMethod}`;
type Send = <T = unknown>(method: Method, route: RouteLike, options?: RequestOptions) => Promise<T>;

/** Requests to Discord's REST API; each rejects with an `AppError`, a `DiscordError` if refused. */
export interface Api {
  /** Sent again when the answer is lost: for what may arrive twice, or carries a nonce. */
  readonly send: Send;
  /** Never sent again: for what would stand twice. */
  readonly sendOnce: Send;
  /** True when Discord took the token when it was shown last. */
  isTokenGood(): boolean;
}

/** The settings of every connection to Discord. */
export type RestSettings = Pick<ApiOptions, 'url' | 'requestsPerSecond' | 'timeoutMs'>;

export interface ApiOptions {
  readonly url: string | undefined;
  readonly token: string;
  readonly requestsPerSecond: number;
  /** Longest time of one request. Default: what discord.js allows, 15 s. */
  readonly timeoutMs?: number;
  /** A number from 0 to 1: the part of its longest wait that each new try waits. */
  readonly random?: () => number;
  /** Ends early, in whatever way, when the signal does. */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

/** Longer than this no request waits inside the library for a rate limit, where nobody can see or stop it. */
const LONGEST_RATE_LIMIT_MS = 10_000;
/** Tries of one request, as many as discord.js makes. */
const TRIES = 1 + DefaultRestOptions.retries;
const TOKEN_IN_PATH = /(\/(?:webhooks|interactions)\/\d+\/)[^/]+/;

/**
 * A form is written out before it is sent: discord.js and this process have undici of different
 * versions, which share one dispatcher and do not know each other's forms.
 */
const makeRequest: typeof DefaultRestOptions.makeRequest = async (url, init) => {
  if (!(init.body instanceof FormData)) return DefaultRestOptions.makeRequest(url, init);
  const form = new Response(init.body);
  const headers = new Headers(init.headers as Record<string, string>);
  headers.set('content-type', form.headers.get('content-type') ?? '');
  const body = new Uint8Array(await form.arrayBuffer());
  return DefaultRestOptions.makeRequest(url, {
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

/** The codes of a connection that broke under a request, of Node.js and of undici. */
const BROKEN: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/** No answer came, or that of a server in trouble: whether the request was carried out is unknown. */
const isLost = (thrown: unknown): boolean =>
  thrown instanceof HTTPError ||
  (thrown instanceof Error &&
    (thrown.name === 'AbortError' || ('code' in thrown && BROKEN.has(thrown.code))));

export const createDiscordApi = (options: ApiOptions): Api => {
  // One client, so that all requests share what is known of rates; so trying again is ours.
  const rest = new REST({ ...restOptions(options), retries: 0 }).setToken(options.token);
  const { random = Math.random, sleep = async (ms, signal) => delay(ms, undefined, { signal }) } =
    options;
  const backoff = { firstMs: 500, longestMs: 2_000, random };
  let tokenIsGood = true;

  const pause = async (attempt: number, signal: AbortSignal | undefined): Promise<void> =>
    sleep(backoffMs(backoff, attempt), signal).catch(() => undefined);

  const sender =
    (tries: number): Send =>
    async <T>(method: Method, route: RouteLike, requested: RequestOptions = {}): Promise<T> => {
      const { query, files, signal: asked, ...others } = requested;
      const request = {
        ...others,
        method: method as RequestMethod,
        fullRoute: route,
        ...(files ? { files: [...files] } : {}),
        ...(query ? { query: new URLSearchParams(query) } : {}),
      };
      for (let attempt = 1; ; attempt += 1) {
        try {
          // The library leaves a listener on each signal that it is given.
          const answer = (await withOwnSignal(asked, async (signal) =>
            rest.request({ ...request, ...(signal ? { signal } : {}) }),
          )) as T;
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
            // The library drops it; Discord has refused good ones too while it was in trouble.
            rest.setToken(options.token);
          }
          throw fault;
        }
      }
    };

  return { send: sender(TRIES), sendOnce: sender(1), isTokenGood: () => tokenIsGood };
};
