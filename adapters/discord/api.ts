import {
  DefaultRestOptions,
  REST,
  type RateLimitData,
  type RawFile,
  type RequestMethod,
  type RouteLike,
} from 'discord.js';
import { fromDiscord } from './errors.ts';

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

const sender =
  (rest: REST): Send =>
  async <T>(method: Method, route: RouteLike, options: RequestOptions = {}): Promise<T> => {
    const { query, files, ...rest_ } = options;
    try {
      return (await rest.request({
        ...rest_,
        method: method as RequestMethod,
        fullRoute: route,
        ...(files ? { files: [...files] } : {}),
        ...(query ? { query: new URLSearchParams(query) } : {}),
      })) as T;
    } catch (thrown) {
      throw fromDiscord(thrown, `${method} ${route.replace(TOKEN_IN_PATH, '$1…')}`, options.signal);
    }
  };

export const createApi = (options: ApiOptions): Api => {
  const common = restOptions(options);
  const rest = new REST(common).setToken(options.token);
  const once = new REST({ ...common, retries: 0 }).setToken(options.token);
  return { send: sender(rest), sendOnce: sender(once) };
};
