import { request, type Dispatcher } from 'undici';
import { AppError } from '../errors.ts';

/** The servers that a platform's own addresses may lead to. */
export interface KnownHosts {
  readonly hosts: ReadonlySet<string>;
  /** The server that stands for the platform, for all of its hosts. */
  readonly ownOrigin: string | undefined;
}

/** @param apiUrl server to use instead of the platform, which then also stands for these hosts */
export const knownHosts = (hosts: ReadonlySet<string>, apiUrl: string | undefined): KnownHosts => ({
  hosts,
  ownOrigin: apiUrl === undefined ? undefined : new URL(apiUrl).origin,
});

/** True for an address at one of the hosts, over HTTPS and without a user, or at the server that stands for them. */
export const isAtKnownHost = (address: string, { hosts, ownOrigin }: KnownHosts): boolean => {
  const url = URL.parse(address);
  if (!url || url.username || url.password) return false;
  return url.origin === ownOrigin || (url.protocol === 'https:' && hosts.has(url.host));
};

const HEADERS_MS = 15_000;
const STALL_MS = 30_000;

/** The hosts from which a platform's attached files may be fetched. */
export interface FileHosts extends KnownHosts {
  /** The platform's name, for logs. */
  readonly platform: string;
}

const brokenOff = (cause: unknown): AppError =>
  new AppError('unavailable', 'an attached file could not be fetched', { cause, retryable: true });

export const goneFile = (): AppError =>
  new AppError('not-found', 'an attached file is no longer there');

/** Refuses an address that is on none of the hosts: `forbidden`. */
export const demandFileHost = (address: string, at: FileHosts): void => {
  if (!isAtKnownHost(address, at))
    throw new AppError('forbidden', `an attached file is not on one of ${at.platform}’s hosts`);
};

/** Requests a file of the hosts; follows no redirect. Rejects with an `AppError`. */
export const fetchFile = async (
  address: string,
  at: FileHosts,
  signal: AbortSignal | undefined,
  headers: Readonly<Record<string, string>> = {},
): Promise<Dispatcher.ResponseData> => {
  demandFileHost(address, at);
  try {
    return await request(address, {
      headers,
      headersTimeout: HEADERS_MS,
      bodyTimeout: STALL_MS,
      ...(signal ? { signal } : {}),
    });
  } catch (cause) {
    signal?.throwIfAborted();
    throw brokenOff(cause);
  }
};

/**
 * Yields the bytes of a response to the end. Throws an `AppError`: `not-found` for a status in `gone`,
 * `too-large` beyond the declared size.
 */
export const readFile = async function* (
  { statusCode, body }: Dispatcher.ResponseData,
  sizeBytes: number,
  gone: ReadonlySet<number>,
  { platform }: FileHosts,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array, void, void> {
  if (statusCode !== 200) {
    await body.dump();
    if (gone.has(statusCode)) throw goneFile();
    throw new AppError('unavailable', `an attached file was answered with ${statusCode}`, {
      retryable: statusCode >= 500 || statusCode === 429,
    });
  }
  let readBytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      readBytes += chunk.byteLength;
      if (readBytes > sizeBytes)
        throw new AppError('too-large', `an attached file is larger than ${platform} says`);
      yield chunk;
    }
  } catch (thrown) {
    signal?.throwIfAborted();
    throw thrown instanceof AppError ? thrown : brokenOff(thrown);
  }
};
