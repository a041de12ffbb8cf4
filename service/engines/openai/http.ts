import { Agent, FormData, request, type Dispatcher } from 'undici';
import { AppError } from '../../../src/errors.ts';
import { retryAfterHeaderMs } from '../../../src/http/retry-after.ts';
import { BackendError } from '../../errors.ts';
import { parseJson } from '../../json.ts';

/** Most bytes of an error's body that are kept. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Most bytes of a reply that is not streamed. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** Longest wait for the next bytes of a reply. */
const SILENCE_MS = 120_000;
const CONNECT_TIMEOUT_MS = 5_000;

export type Body = Dispatcher.ResponseData['body'];

/** A form, encoded JSON, or a value to encode as JSON. */
type Content = FormData | Uint8Array | Readonly<Record<string, unknown>>;

export interface Upstream extends AsyncDisposable {
  /**
   * Sends a request. Resolves with a successful reply whose body is unread; rejects with
   * `BackendError` or `AppError` for all others.
   */
  send(
    path: string,
    body: Content | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly mediaType: string; readonly body: Body }>;
  /** Sends a request and parses the successful reply as JSON. */
  sendForJson(path: string, body: Content | undefined, signal: AbortSignal): Promise<unknown>;
}

/** Reads the bytes of `body`; throws `bad-reply` beyond `maxBytes`. */
export const readAll = async (body: Body, maxBytes = MAX_REPLY_BYTES): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) throw new AppError('bad-reply', 'The backend sent too long a reply.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
};

const readHead = async (body: Body): Promise<Uint8Array> => {
  try {
    return await readAll(body, MAX_ERROR_BYTES);
  } catch {
    return new Uint8Array(0);
  }
};

const refusal = (status: number): string => {
  if (status === 401 || status === 403)
    return `The backend refused the service's key (${status}): see SERVICE_OPENAI_KEY.`;
  if (status === 404) return 'The backend does not know the path or model (404).';
  if (status === 429) return 'The backend has too many requests.';
  return `The backend answered ${status}.`;
};

const unreachable = (cause: unknown, signal: AbortSignal): Error => {
  if (signal.aborted) return signal.reason as Error;
  if (cause instanceof AppError) return cause;
  const timedOut = cause instanceof Error && /Timeout/.test(cause.name);
  return timedOut
    ? new AppError('timeout', 'The backend took too long.', { cause, retryable: true })
    : new AppError('unavailable', 'The backend is not reachable.', { cause, retryable: true });
};

const notJson = (): AppError => new AppError('bad-reply', 'The backend did not answer with JSON.');

/** Appends the API version to a base URL that lacks it. */
const withVersion = (url: string): string => {
  const base = url.replace(/\/+$/, '');
  return /\/v\d+$/.test(base) ? base : `${base}/v1`;
};

export const createUpstream = (url: string, key: string | undefined): Upstream => {
  const base = withVersion(url);
  const agent = new Agent({
    connect: { timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: SILENCE_MS,
    bodyTimeout: SILENCE_MS,
  });
  const authorization = key === undefined ? {} : { authorization: `Bearer ${key}` };

  const send: Upstream['send'] = async (path, body, signal) => {
    const json = body !== undefined && !(body instanceof FormData);
    const content = json && !(body instanceof Uint8Array) ? JSON.stringify(body) : (body ?? null);
    let reply: Dispatcher.ResponseData;
    try {
      reply = await request(`${base}${path}`, {
        dispatcher: agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...authorization, ...(json ? { 'content-type': 'application/json' } : {}) },
        body: content,
        signal,
      });
    } catch (cause) {
      throw unreachable(cause, signal);
    }
    // The reader of the body gets its errors; those of an unread body must not end the process.
    reply.body.on('error', () => {});
    const mediaType = String(reply.headers['content-type'] ?? '');
    if (reply.statusCode >= 200 && reply.statusCode < 300) return { mediaType, body: reply.body };
    const waitMs = retryAfterHeaderMs(reply.headers['retry-after'], Date.now());
    throw new BackendError(refusal(reply.statusCode), {
      status: reply.statusCode,
      mediaType,
      body: await readHead(reply.body),
      ...(waitMs === undefined ? {} : { retryAfterMs: waitMs }),
    });
  };

  return {
    send,
    sendForJson: async (path, body, signal) => {
      const reply = await send(path, body, signal);
      const bytes = await readAll(reply.body).catch((cause: unknown) => {
        throw unreachable(cause, signal);
      });
      return parseJson(bytes.toString('utf8'), notJson);
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
};
