import { Agent, request, type Dispatcher, type FormData } from 'undici';
import { AppError } from '../../../src/errors.ts';
import { BackendError } from '../../errors.ts';

/** What is kept of an error's body. */
const MAX_ERROR_BYTES = 64 * 1024;
/** What a reply that is not streamed may weigh. */
const MAX_REPLY_BYTES = 8 * 1024 * 1024;
/** The longest silence while a reply is coming. */
const SILENCE_MS = 120_000;
const CONNECT_TIMEOUT_MS = 5_000;

export type Body = Dispatcher.ResponseData['body'];

export interface Upstream extends AsyncDisposable {
  /** A successful reply, its body unread; throws `BackendError` or `AppError` for all others. */
  send(
    path: string,
    body: FormData | Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly mediaType: string; readonly body: Body }>;
  /** A successful reply of JSON. */
  sendForJson(
    path: string,
    body: FormData | Readonly<Record<string, unknown>> | undefined,
    signal: AbortSignal,
  ): Promise<unknown>;
}

/** The bytes of `body`; throws `bad-reply` past `maxBytes`. */
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

/** Seconds or an HTTP date (RFC 9110, 10.2.3). */
const retryAfterMs = (header: string | string[] | undefined): number | undefined => {
  if (typeof header !== 'string') return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const at = Date.parse(header);
  return Number.isNaN(at) ? undefined : Math.max(0, at - Date.now());
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

/** Base addresses are written with and without the version. */
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
    const json = body !== undefined && Object.getPrototypeOf(body) === Object.prototype;
    let reply: Dispatcher.ResponseData;
    try {
      reply = await request(`${base}${path}`, {
        dispatcher: agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: { ...authorization, ...(json ? { 'content-type': 'application/json' } : {}) },
        body: json ? JSON.stringify(body) : ((body as FormData | undefined) ?? null),
        signal,
      });
    } catch (cause) {
      throw unreachable(cause, signal);
    }
    // Who reads the body is told of its end; a body that nobody reads must not end the process.
    reply.body.on('error', () => {});
    const mediaType = String(reply.headers['content-type'] ?? '');
    if (reply.statusCode >= 200 && reply.statusCode < 300) return { mediaType, body: reply.body };
    const waitMs = retryAfterMs(reply.headers['retry-after']);
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
      try {
        return JSON.parse((await readAll(reply.body)).toString('utf8')) as unknown;
      } catch (cause) {
        if (cause instanceof SyntaxError)
          throw new AppError('bad-reply', 'The backend answered with something that is not JSON.');
        throw unreachable(cause, signal);
      }
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
};
