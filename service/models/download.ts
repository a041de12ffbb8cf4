import { createHash } from 'node:crypto';
import { mkdir, open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { backoffMs, sleep, type Clock } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import { retryAfterHeaderMs } from '../../src/http/retry-after.ts';
import { digestOf } from './checksum.ts';
import { demandSpace, megabytes, writeError } from './disk.ts';
import { fetchModelFile } from './fetch.ts';

/** Tries in a row that bring nothing new, after which a download is given up. */
const FRUITLESS_TRIES = 5;
/** Tries to reach a host that never answered, and the time after which none is begun: there is no network. */
const REACHING = { tries: 3, longestMs: 8_000 };
const BACKOFF = { firstMs: 1_000, longestMs: 30_000 };
/** Time without a byte after which a connection counts as cut. */
const SILENCE_MS = 30_000;
/** Largest file whose size nothing has said before. */
const LARGEST_BYTES = 20e9;
/** Folder of unfinished downloads, in the folder of models. */
export const DOWNLOADS = '.downloads';

export interface DownloadRequest {
  readonly url: string;
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
  /** Checksum as npm's lock files write it: `sha512-…`. */
  readonly integrity?: string | undefined;
}

export interface Downloaded {
  readonly path: string;
  readonly sha256: string;
}

export interface DownloadProgress {
  readonly doneBytes: number;
  /** Undefined until the server has said it. */
  readonly totalBytes: number | undefined;
}

export interface DownloadDeps {
  readonly root: string;
  /** Address of a mirror or folder, in place of the hosts of addresses. */
  readonly mirror?: string | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly onProgress: (progress: DownloadProgress) => void;
  readonly signal: AbortSignal;
}

/** The error of a host from which nothing came: what else is to be fetched need not be tried. */
export class NoNetworkError extends AppError {
  override readonly name = 'NoNetworkError';
}

/** A failure after which another try may go on where this one ended. */
const cut = (reason: string, retryAfterMs?: number): AppError =>
  new AppError('unavailable', reason, { retryable: true, retryAfterMs });

const fault = (url: string, what: string): AppError => new AppError('bad-reply', `${url}: ${what}`);

const statusFault = (url: string, status: number): AppError => {
  if (status === 404 || status === 410)
    return new AppError(
      'not-found',
      `${url} does not exist (${status}). Where the file is elsewhere, give its address: npm run service -- models add URL`,
    );
  if (status === 401 || status === 403)
    return new AppError('forbidden', `${url}: the server refuses the download (${status})`);
  return fault(url, `the server answers ${status}`);
};

const sizeIn = (text: string | null | undefined): number | undefined =>
  /^\d+$/.test(text ?? '') ? Number(text) : undefined;

/** Reads where the body of a reply begins in the file, and the file's whole size where it says that. */
const readAnswer = (url: string, { status, headers }: Response, haveBytes: number) => {
  if (status === 200) return { startByte: 0, totalBytes: sizeIn(headers.get('content-length')) };
  const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
  if (Number(range?.[1]) !== haveBytes)
    throw fault(url, 'the server sends another part than asked');
  return { startByte: haveBytes, totalBytes: sizeIn(range?.[2]) };
};

/** An unfinished file, with the validator of the content that it is a part of. */
const createPart = (root: string, url: string) => {
  const id = createHash('sha256').update(url).digest('hex').slice(0, 16);
  const path = join(root, DOWNLOADS, `${id}-${basename(new URL(url).pathname)}`);
  const sizeOf = async (): Promise<number> => (await stat(path).catch(() => undefined))?.size ?? 0;
  return {
    path,
    sizeOf,
    validator: async (): Promise<string | undefined> =>
      readFile(`${path}.etag`, 'utf8').catch(() => undefined),
    begin: async (headers: Headers): Promise<void> => {
      await mkdir(join(root, DOWNLOADS), { recursive: true });
      const etag = headers.get('etag');
      // A weak validator does not say that the bytes are the same (RFC 9110, 13.1.5).
      if (etag?.startsWith('"')) await writeFile(`${path}.etag`, etag);
      else await rm(`${path}.etag`, { force: true });
    },
    remove: async (): Promise<void> => {
      for (const file of [path, `${path}.etag`]) await rm(file, { force: true });
    },
  };
};

type Part = ReturnType<typeof createPart>;

/**
 * Begins to read a body at once and stays one chunk ahead: an error of the connection discards what
 * nobody has asked for.
 */
const openBody = (response: Response, { clock }: DownloadDeps) => {
  const reader = (response.body ?? new ReadableStream<Uint8Array>()).getReader();
  const readAhead = (): ReturnType<typeof reader.read> => {
    const next = reader.read().catch(() => {
      throw cut('the connection was cut');
    });
    next.catch(() => undefined);
    return next;
  };
  let ahead = readAhead();
  return {
    /** Yields the body. Throws a retryable `AppError` when it breaks or is silent for too long. */
    chunks: async function* () {
      for (;;) {
        const silence = Promise.withResolvers<never>();
        const over = clock.after(SILENCE_MS, () => silence.reject(cut('it sends nothing')));
        const next = await Promise.race([ahead, silence.promise]).finally(over);
        if (next.done) return;
        ahead = readAhead();
        yield next.value;
      }
    },
    [Symbol.asyncDispose]: () => reader.cancel().catch(() => undefined),
  };
};

/** Asks for a file from a byte on, if it still has the validator. */
const request = async (
  url: string,
  startByte: number,
  validator: string | undefined,
  { signal, mirror }: DownloadDeps,
): Promise<Response> => {
  const headers = {
    'accept-encoding': 'identity',
    ...(startByte > 0 ? { range: `bytes=${startByte}-` } : {}),
    ...(startByte > 0 && validator !== undefined ? { 'if-range': validator } : {}),
  };
  const response = await fetchModelFile(url, { headers, signal, mirror }).catch(
    (cause: unknown) => {
      if (signal.aborted) throw signal.reason;
      if (cause instanceof AppError) throw cause;
      const { code } = ((cause as Error).cause ?? {}) as NodeJS.ErrnoException;
      const reason = `it cannot be reached${code === undefined ? '' : ` (${code})`}`;
      throw new NoNetworkError('unavailable', reason, { retryable: true });
    },
  );
  if (response.status < 500 && response.status !== 429) return response;
  const waitMs = retryAfterHeaderMs(Object.fromEntries(response.headers), Date.now());
  throw cut(`the server answers ${response.status}`, waitMs);
};

/** Tries once, from where the last try ended. Throws a retryable `AppError` when another try may go on. */
const attempt = async (wanted: DownloadRequest, part: Part, deps: DownloadDeps): Promise<void> => {
  const { url, bytes } = wanted;
  const hasChecksum = (wanted.sha256 ?? wanted.integrity) !== undefined;
  const validator = await part.validator();
  // With a checksum the whole is checked at the end; without, only the same content is continued.
  const haveBytes = validator !== undefined || hasChecksum ? await part.sizeOf() : 0;
  const response = await request(url, haveBytes, validator, deps);
  await using body = openBody(response, deps);
  if (response.status === 416) {
    if (haveBytes === bytes || (bytes === undefined && hasChecksum)) return;
    await part.remove();
    throw cut('the server has less than was fetched before');
  }
  if (response.status !== 200 && response.status !== 206) throw statusFault(url, response.status);
  const { startByte, totalBytes = bytes } = readAnswer(url, response, haveBytes);
  if (bytes !== undefined && totalBytes !== bytes)
    throw fault(
      url,
      `the file has ${totalBytes} bytes, not the ${bytes} of the catalogue: it has changed. To take it as it is: npm run service -- models add ${url}`,
    );
  await part.begin(response.headers);
  if (totalBytes !== undefined) await demandSpace(deps.root, totalBytes - startByte);
  await using file = await open(part.path, startByte > 0 ? 'r+' : 'w');
  await file.truncate(startByte);
  const mostBytes = totalBytes ?? LARGEST_BYTES;
  let doneBytes = startByte;
  for await (const chunk of body.chunks()) {
    if (doneBytes + chunk.length > mostBytes)
      throw fault(url, `the server sends more than ${megabytes(mostBytes)}`);
    await file.write(chunk, 0, chunk.length, doneBytes);
    doneBytes += chunk.length;
    deps.onProgress({ doneBytes, totalBytes });
  }
  if (totalBytes !== undefined && doneBytes < totalBytes) throw cut('the connection was cut');
};

/** Tries until the file is whole, as long as tries bring something new. */
const fetchAll = async (wanted: DownloadRequest, part: Part, deps: DownloadDeps): Promise<void> => {
  const { nowMs } = deps.clock;
  const startMs = nowMs();
  let fruitless = 0;
  let wasReached = false;
  for (;;) {
    const before = await part.sizeOf();
    try {
      await attempt(wanted, part, deps);
      return;
    } catch (error) {
      if (!(error instanceof AppError && error.retryable)) {
        const leftBytes = wanted.bytes && wanted.bytes - (await part.sizeOf());
        throw writeError(error, deps.root, leftBytes);
      }
      fruitless = (await part.sizeOf()) > before ? 0 : fruitless + 1;
      wasReached ||= !(error instanceof NoNetworkError);
      const isOver = fruitless >= REACHING.tries || nowMs() - startMs >= REACHING.longestMs;
      if (wasReached ? fruitless >= FRUITLESS_TRIES : isOver)
        throw new (wasReached ? AppError : NoNetworkError)(
          'unavailable',
          `${wanted.url}: ${error.message}. Run the command again to go on where it ended; without a network, give a folder or an archive: npm run service -- models add FOLDER|ARCHIVE`,
          { cause: error },
        );
      const waitMs = backoffMs({ ...BACKOFF, random: deps.random }, fruitless, error.retryAfterMs);
      await sleep(deps.clock, waitMs, deps.signal);
    }
  }
};

/**
 * Downloads a file into the folder of unfinished downloads, continues a cut one, and checks its size
 * and checksum. Throws `AppError` with an operator's sentence.
 */
export const download = async (
  wanted: DownloadRequest,
  deps: DownloadDeps,
): Promise<Downloaded> => {
  const part = createPart(deps.root, wanted.url);
  for (const isLast of [false, true]) {
    const resumed = (await part.sizeOf()) > 0;
    await fetchAll(wanted, part, deps);
    const sha256 = await digestOf(part.path, 'sha256');
    const isRight =
      wanted.integrity === undefined
        ? (wanted.sha256 ?? sha256) === sha256
        : (await digestOf(part.path, 'sha512')) === wanted.integrity;
    if (isRight) return { path: part.path, sha256 };
    await part.remove();
    // A continued file can be one of two contents: it is fetched once more as a whole.
    if (isLast || !resumed) break;
  }
  throw fault(
    wanted.url,
    `the checksum is wrong: the file was damaged or is another one. To take it as it is: npm run service -- models add ${wanted.url}`,
  );
};

/** Bytes of a file that were fetched before. */
export const fetchedBytes = (root: string, url: string): Promise<number> =>
  createPart(root, url).sizeOf();

/** Forgets the downloaded files of a model that is installed. */
export const removeDownload = async (root: string, url: string): Promise<void> =>
  createPart(root, url).remove();
