import { openAsBlob } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EnvHttpProxyAgent, fetch as send } from 'undici';
import { fetchFollowing } from './redirects.ts';

export interface FetchOptions {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Address of a mirror, or of a folder (`file:`), in place of the hosts of addresses. */
  readonly mirror?: string | undefined;
}

/** Time after which a server that takes a request and answers nothing counts as gone. */
const LONGEST_SILENCE_MS = 30_000;

let agent: EnvHttpProxyAgent | undefined;

/** Fetches through the proxy that the environment names: `HTTPS_PROXY`, `HTTP_PROXY`, `NO_PROXY`. */
const byProxy: typeof fetch = async (address, options) => {
  agent ??= new EnvHttpProxyAgent({ headersTimeout: LONGEST_SILENCE_MS });
  const sent: unknown = await send(address as URL, {
    ...(options as object),
    dispatcher: agent,
  });
  return sent as Response;
};

const isFile = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isFile() === true;

/** Replies as a server does, with the file of a folder: at its path, or directly in the folder. */
const fromFolder = async (
  folder: string,
  { pathname }: URL,
  { range = '' }: FetchOptions['headers'],
): Promise<Response> => {
  const relative = decodeURIComponent(pathname);
  const [own, flat] = [join(folder, relative), join(folder, basename(relative))];
  const path = (await isFile(own)) ? own : flat;
  if (!(await isFile(path))) return new Response(null, { status: 404 });
  const blob = await openAsBlob(path);
  const start = Number(/^bytes=(\d+)-$/.exec(range)?.[1] ?? 0);
  if (start > 0 && start >= blob.size) return new Response(null, { status: 416 });
  return new Response(blob.slice(start), {
    status: start > 0 ? 206 : 200,
    headers: {
      'content-length': String(blob.size - start),
      'content-range': `bytes ${start}-${blob.size - 1}/${blob.size}`,
    },
  });
};

/**
 * Fetches a file of a model: from the mirror or folder where there is one, by the proxy of the
 * environment, and from where redirects lead. Rejects as `fetch` does.
 */
export const fetchModelFile = (
  url: string,
  { headers, signal, mirror }: FetchOptions,
): Promise<Response> => {
  const address = new URL(url);
  if (mirror?.startsWith('file:') === true)
    return fromFolder(fileURLToPath(mirror), address, headers);
  const from = mirror === undefined ? url : `${mirror.replace(/\/$/, '')}${address.pathname}`;
  return fetchFollowing(from, { headers, signal }, byProxy);
};
