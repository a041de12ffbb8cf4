import {
  DefaultRestOptions,
  HTTPError,
  REST,
  type RateLimitData,
  type RawFile,
  type RequestMethod,
  type RouteLike,
} from 'discord.js';
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
  /** Whether Discord took the token when it was shown last. */
  isTokenGood(): boolean;
}

export interface ApiOptions {
  readonly url: string | undefined;
  readonly token: string;
  readonly requestsPerSecond: number;
  /** How long one request may take. Default: what discord.js allows, 15 s. */
  readonly timeoutMs?: number;
}

/** Longer than this nothing waits inside the library, where nobody can see or stop it. */
const LONGEST_WAIT_MS = 10_000;
/** As many as discord.js makes. */
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

export const restOptions = ({ url, requestsPerSecond, timeoutMs }: Omit<ApiOptions, 'token'>) => ({
  ...(url === undefined ? {} : { api: url.replace(/\/+$/, '') }),
  ...(timeoutMs === undefined ? {} : { timeout: timeoutMs }),
  globalRequestsPerSecond: requestsPerSecond,
  rejectOnRateLimit: ({ retryAfter }: RateLimitData) => retryAfter > LONGEST_WAIT_MS,
  makeRequest,
});

/** What discord.js tries again by itself: the answer was lost, or the server was in trouble. */
const isLost = (thrown: unknown): boolean =>
  thrown instanceof HTTPError ||
  (thrown instanceof Error &&
    (thrown.name === 'AbortError' || ('code' in thrown && thrown.code === 'ECONNRESET')));

export const createApi = (options: ApiOptions): Api => {
  // One client, so that all requests share what is known of rates; so trying again is ours.
  const rest = new REST({ ...restOptions(options), retries: 0 }).setToken(options.token);
  let tokenIsGood = true;

  const sender =
    (tries: number): Send =>
    async <T>(method: Method, route: RouteLike, requested: RequestOptions = {}): Promise<T> => {
      const { query, files, ...rest_ } = requested;
      const request = {
        ...rest_,
        method: method as RequestMethod,
        fullRoute: route,
        ...(files ? { files: [...files] } : {}),
        ...(query ? { query: new URLSearchParams(query) } : {}),
      };
      for (let attempt = 1; ; attempt += 1) {
        try {
          const answer = (await rest.request(request)) as T;
          if (requested.auth !== false) tokenIsGood = true;
          return answer;
        } catch (thrown) {
          if (attempt < tries && isLost(thrown) && !requested.signal?.aborted) continue;
          const what = `${method} ${route.replace(TOKEN_IN_PATH, '$1…')}`;
          const fault = fromDiscord(thrown, what, requested.signal);
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
