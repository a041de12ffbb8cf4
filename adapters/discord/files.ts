import { request } from 'undici';
import { AppError } from '../../src/errors.ts';
import type { ByteSource } from '../../src/model/file.ts';

/** Hosts on which Discord stores attachments. */
const HOSTS: ReadonlySet<string> = new Set(['cdn.discordapp.com', 'media.discordapp.net']);
const HEADERS_MS = 15_000;
const STALL_MS = 30_000;
/** Status codes of expired signed URLs. */
const EXPIRED: ReadonlySet<number> = new Set([403, 404, 410]);

export interface RemoteFile {
  readonly url: string;
  /** Size that Discord declares; reading stops beyond it. */
  readonly sizeBytes: number;
  /** Fetches a new URL when the old one has expired; undefined when the file is gone. */
  readonly renew?: () => Promise<string | undefined>;
}

/** Opens files of Discord's hosts only; does not follow redirects. */
export type OpenRemoteFile = (file: RemoteFile) => ByteSource;

const gone = (): AppError => new AppError('not-found', 'an attached file is no longer there');

const brokenOff = (cause: unknown): AppError =>
  new AppError('unavailable', 'an attached file could not be fetched', { cause, retryable: true });

/**
 * Creates the function that opens Discord's files.
 *
 * @param apiUrl server to use instead of Discord, which then also stores the files
 */
export const createOpenFile = (apiUrl: string | undefined): OpenRemoteFile => {
  const ownOrigin = apiUrl === undefined ? undefined : new URL(apiUrl).origin;

  const mayFetch = (address: string): boolean => {
    const url = URL.parse(address);
    if (!url || url.username || url.password) return false;
    return (
      url.origin === ownOrigin || (url.protocol === 'https:' && HOSTS.has(url.host.toLowerCase()))
    );
  };

  const fetchFrom = async (address: string, signal: AbortSignal | undefined) => {
    if (!mayFetch(address))
      throw new AppError('forbidden', 'an attached file is not on one of Discord’s hosts');
    try {
      return await request(address, {
        headersTimeout: HEADERS_MS,
        bodyTimeout: STALL_MS,
        ...(signal ? { signal } : {}),
      });
    } catch (cause) {
      signal?.throwIfAborted();
      throw brokenOff(cause);
    }
  };

  const openRenewed = async ({ url, renew }: RemoteFile, signal: AbortSignal | undefined) => {
    const first = await fetchFrom(url, signal);
    if (!EXPIRED.has(first.statusCode)) return first;
    await first.body.dump();
    const fresh = await renew?.();
    if (fresh === undefined) throw gone();
    return fetchFrom(fresh, signal);
  };

  return (file) => ({
    sizeBytes: file.sizeBytes,
    async *open(signal) {
      const { statusCode, body } = await openRenewed(file, signal);
      if (statusCode !== 200) {
        await body.dump();
        if (EXPIRED.has(statusCode)) throw gone();
        throw new AppError('unavailable', `an attached file was answered with ${statusCode}`, {
          retryable: statusCode >= 500 || statusCode === 429,
        });
      }
      let readBytes = 0;
      try {
        for await (const chunk of body as AsyncIterable<Uint8Array>) {
          readBytes += chunk.byteLength;
          if (readBytes > file.sizeBytes)
            throw new AppError('too-large', 'an attached file is larger than Discord says');
          yield chunk;
        }
      } catch (thrown) {
        signal?.throwIfAborted();
        throw thrown instanceof AppError ? thrown : brokenOff(thrown);
      }
    },
  });
};
