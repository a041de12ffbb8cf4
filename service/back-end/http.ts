import { Agent, FormData, request, type Dispatcher } from 'undici';
import { WebSocket } from 'ws';
import type { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { readBytes } from '../../src/http/read-bytes.ts';
import { createKeyHider, hideKeyInStream } from '../../src/http/secrets.ts';
import { retryAfterHeaderMs } from '../../src/http/retry-after.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { BackendError } from '../errors.ts';
import { currentRequestId, REQUEST_ID_HEADER } from '../request-log.ts';
import { maskSecrets, readErrorText, userTexts } from './error-text.ts';
import { parseJson } from '../json.ts';
import { readReply, type ServerReply } from '../language-model/chat-server.ts';

/** Most bytes of an error's body that are read. */
const MAX_ERROR_BYTES = 64 * 1024;
/** Longest wait for the next bytes of a reply. */
const SILENCE_MS = 120_000;
const CONNECT_TIMEOUT_MS = 5_000;
/** Most bytes of a message of a WebSocket. */
const MAX_MESSAGE_BYTES = 256 * 1024;

export type Body = Dispatcher.ResponseData['body'];

/** A form, encoded JSON, or a value to encode as JSON. */
type Content = FormData | Uint8Array | Readonly<Record<string, unknown>>;

/** A successful reply whose body is unread. */
interface UpstreamReply extends ServerReply {
  readonly body: Body;
}

const REFUSALS: ReadonlyMap<number, string> = new Map([
  [404, 'The backend does not know the path or model (404).'],
  [429, 'The backend has too many requests.'],
  // Of DeepL.
  [456, 'The quota of the account at the backend is used up (456).'],
]);

/** True for a refusal of the service's own key, parts of which the back end may repeat. */
const isAboutKey = (status: number): boolean => status === 401 || status === 403;

const refusal = (status: number, keyVariable: string): string => {
  if (isAboutKey(status))
    return `The backend refused the service's key (${status}): see ${keyVariable}.`;
  return REFUSALS.get(status) ?? `The backend answered ${status}.`;
};

const inSeconds = (ms: number): string => String(Math.round(ms / 10) / 100);

/** Joins our sentence, the back end's own, and the time to wait in the words of contract clients. */
const describeRefusal = (own: string, text: string, waitMs: number | undefined): string =>
  [
    own,
    ...(text === '' ? [] : [`It said: ${text.replace(/[.\s]*$/, '.')}`]),
    ...(waitMs === undefined ? [] : [`Retry after ${inSeconds(waitMs)}s`]),
  ].join(' ');

const notJson = (): AppError => new AppError('bad-reply', 'The backend did not answer with JSON.');

/** The longest JSON body that is parsed to find a user's words in it. */
const MAX_PARSED_BYTES = 64 * 1024;

/** The words of a user in a request; undefined when they are too many to look for. */
const textsOf = (body: Content | undefined): readonly string[] | undefined => {
  if (body instanceof FormData)
    return [...body.values()].filter((value) => typeof value === 'string');
  if (!(body instanceof Uint8Array)) return userTexts(body ?? {});
  if (body.length > MAX_PARSED_BYTES) return undefined;
  return userTexts(parseJson(Buffer.from(body).toString('utf8'), notJson));
};

const unreachable = (cause: unknown, signal: AbortSignal): Error => {
  if (signal.aborted) return signal.reason as Error;
  if (cause instanceof AppError) return cause;
  const timedOut = cause instanceof Error && /Timeout/.test(cause.name);
  return timedOut
    ? new AppError('timeout', 'The backend took too long.', { cause, retryable: true })
    : new AppError('unavailable', 'The backend is not reachable.', { cause, retryable: true });
};

/** A request, and the status of its reply. */
interface Asked {
  readonly path: string;
  readonly status: number;
  readonly body: Content | undefined;
}

/** A server of an engine. */
export interface BackEnd {
  /** Address that paths are appended to; a slash at its end is left out. */
  readonly url: string;
  readonly key?: string | undefined;
  readonly keyVariable: string;
  /** Scheme under which the key is sent as `Authorization`; null where it is part of bodies. Default: `Bearer`. */
  readonly scheme?: string | null;
}

export type Upstream = ReturnType<typeof createUpstream>;

export const createUpstream = ({ url, key, keyVariable, scheme = 'Bearer' }: BackEnd, log: Log) => {
  const base = url.replace(/\/+$/, '');
  const agent = new Agent({ connect: { timeout: CONNECT_TIMEOUT_MS } });
  const hideKey = createKeyHider(key ?? '');
  const authorization =
    key === undefined || scheme === null ? {} : { authorization: `${scheme} ${key}` };

  /** Reads and logs what a server says of an error, whose status is perhaps not that of the reply. */
  const readSaid = (
    bytes: Uint8Array,
    mediaType: string,
    { path, status, body }: Asked,
    errorStatus = status,
  ): ReturnType<typeof readErrorText> => {
    const texts = isAboutKey(errorStatus) ? undefined : textsOf(body);
    const said = readErrorText(bytes, mediaType, texts);
    const fields = { requestId: currentRequestId(), path, status, said: said.text };
    // Paths above the API's own are asked of any server, of which few have them.
    log[path.startsWith('/../') ? 'debug' : 'warn'](fields, 'a back end answered with an error');
    return said;
  };

  const failedWithin = (error: unknown, asked: Asked): AppError => {
    const { code } = Object(error) as { code?: unknown };
    const json = Buffer.from(hideKey(JSON.stringify({ error })));
    const { text, retryAfterMs } = readSaid(json, 'application/json', asked, Number(code));
    const message = describeRefusal('The backend broke off.', text, retryAfterMs);
    return new AppError('unavailable', message, { retryable: true, retryAfterMs });
  };

  const refused = async (
    reply: Dispatcher.ResponseData,
    mediaType: string,
    asked: Asked,
  ): Promise<BackendError> => {
    const { statusCode: status, headers } = reply;
    const read = await readBytes(reply.body, MAX_ERROR_BYTES, 'too long').catch(() => Buffer.of());
    const text = read.toString('utf8');
    // What is forwarded as it is must not hold the service's own key.
    const hidden = hideKey(text);
    const head = hidden === text ? read : Buffer.from(maskSecrets(hidden));
    const reason = readSaid(head, mediaType, asked);
    const waitMs = retryAfterHeaderMs(headers, Date.now()) ?? reason.retryAfterMs;
    return new BackendError(describeRefusal(refusal(status, keyVariable), reason.text, waitMs), {
      status,
      mediaType,
      body: head,
      retryAfterMs: waitMs,
    });
  };

  const send = async (
    path: string,
    body: Content | undefined,
    signal: AbortSignal,
    silenceMs = SILENCE_MS,
  ): Promise<UpstreamReply> => {
    const json = body !== undefined && !(body instanceof FormData);
    const content = json && !(body instanceof Uint8Array) ? JSON.stringify(body) : (body ?? null);
    const requestId = currentRequestId();
    let reply: Dispatcher.ResponseData;
    try {
      reply = await request(`${base}${path}`, {
        dispatcher: agent,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          ...authorization,
          ...(requestId === undefined ? {} : { [REQUEST_ID_HEADER]: requestId }),
          ...(json ? { 'content-type': 'application/json' } : {}),
        },
        body: content,
        signal,
        headersTimeout: silenceMs,
        bodyTimeout: silenceMs,
      });
    } catch (cause) {
      throw unreachable(cause, signal);
    }
    // The reader of the body gets its errors; those of an unread body must not end the process.
    reply.body.on('error', () => {});
    const mediaType = String(reply.headers['content-type'] ?? '');
    const { statusCode: status } = reply;
    const asked = { path, status, body };
    if (status < 200 || status >= 300) throw await refused(reply, mediaType, asked);
    return { mediaType, body: reply.body, failedWithin: (error) => failedWithin(error, asked) };
  };

  return {
    /**
     * Sends a request. Resolves with a successful reply; rejects with `BackendError` or `AppError`
     * for all others, and with a `timeout` after so long a silence (default: 2 min).
     */
    send,
    /** Opens a WebSocket at a path; its `error` events must be listened to. */
    connect: (path: string): WebSocket =>
      new WebSocket(`${base.replace(/^http/, 'ws')}${path}`, {
        headers: authorization,
        handshakeTimeout: CONNECT_TIMEOUT_MS,
        maxPayload: MAX_MESSAGE_BYTES,
        perMessageDeflate: false,
      }),
    /** Passes a reply's body on without the service's own key, should the server repeat it. */
    forward: (body: Body): AsyncIterable<Uint8Array> =>
      key === undefined ? body : hideKeyInStream(body, key),
    /**
     * Sends a request, and reads the successful reply as JSON. Rejects as `send` does, and with `bad-reply` for
     * JSON of another form, which is no `what`.
     */
    ask: async <T>(
      [what, schema]: readonly [what: string, schema: z.ZodType<T>],
      path: string,
      body: Content | undefined,
      signal: AbortSignal,
    ): Promise<T> => {
      const reply = await send(path, body, signal);
      const text = await readReply(reply.body).catch((cause: unknown) => {
        throw unreachable(cause, signal);
      });
      const { data } = schema.safeParse(parseJson(text, notJson));
      if (data !== undefined) return data;
      throw new AppError('bad-reply', `The backend did not answer with ${what}.`);
    },
    [Symbol.asyncDispose]: () => agent.destroy(),
  };
};
