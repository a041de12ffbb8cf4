import type { Dispatcher } from 'undici';
import { Pool } from '../http/undici.ts';
import type { z } from 'zod';
import { AppError } from '../errors.ts';
import { readBytes } from '../http/read-bytes.ts';
import { retryAfterHeaderMs } from '../http/retry-after.ts';
import { EXTRA_FIELDS_HEADER, type ExtraField } from './contract.ts';
import type { ServiceKey } from './keys.ts';
import { errorWithin, serviceError, type SentKey } from './service-error.ts';

/** Most bytes of an error's body that are read. */
const ERROR_BODY_BYTES = 65_536;
/** The longest JSON reply: many times the longest text or list. Parsing it takes a few milliseconds. */
const JSON_BODY_BYTES = 1_048_576;
/** The longest reply of timestamped text: an hour of it is far below. */
export const SEGMENTS_BODY_BYTES = 16 * 1_048_576;

/** `ECONNREFUSED`, `UND_ERR_SOCKET`. */
const ERROR_CODE = /^[A-Z][A-Z\d_]{1,60}$/;
/** `audio/mpeg`; what else a header may hold is not repeated. */
const MEDIA_TYPE = /^[a-z]+\/[a-z\d.+-]{1,60}$/;

/** Most provisional answers (1xx) to a request. */
const MOST_PROVISIONAL = 20;

const CONNECTIONS = 64;
const CONNECT_MS = 5_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes the body, once for each attempt, since one that was sent half cannot be sent again. */
  readonly body?: () => Exclude<Dispatcher.RequestOptions['body'], undefined>;
}

/** A success, with the key that was sent for it. */
export interface HttpReply extends Pick<Dispatcher.ResponseData, 'headers' | 'body'> {
  readonly sent: SentKey;
}

/** Exchanges HTTP messages with the service; every request to it goes through here. */
export type Transport = ReturnType<typeof createTransport>;

export const readText = async (
  body: AsyncIterable<Uint8Array>,
  longestBytes: number,
): Promise<string> =>
  (await readBytes(body, longestBytes, 'the reply is too long')).toString('utf8');

/**
 * Makes an `AppError` of what a library threw. It is not kept as the cause: errors of broken replies
 * hold parts of them, which may repeat a key.
 */
export const networkError = (cause: unknown): AppError => {
  if (cause instanceof AppError) return cause;
  const given = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const code = ERROR_CODE.test(given) ? given : 'unknown';
  const timeout = code.includes('TIMEOUT') || code === 'ETIMEDOUT';
  const isNoHttp = code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW';
  const what = isNoHttp ? 'does not answer in HTTP' : 'cannot be reached';
  return new AppError(timeout ? 'timeout' : 'unavailable', `the service ${what}: ${code}`, {
    retryable: true,
  });
};

const discard = (reply: Pick<HttpReply, 'body'>, message: string): AppError => {
  // Discarding an unread body ends in an error, which is ignored.
  reply.body.on('error', () => {}).destroy();
  return new AppError('bad-reply', message);
};

/** Checks that a reply is not compressed: no request accepts that. */
const expectPlain = (reply: Pick<HttpReply, 'headers' | 'body'>): void => {
  const coding = reply.headers['content-encoding'] ?? '';
  if (coding !== '' && coding !== 'identity')
    throw discard(reply, 'the service compressed its reply, which nobody asked for');
};

/**
 * Creates the transport.
 *
 * @param baseUrl the service's address; a path in it is put before every path of the contract
 */
export const createTransport = (baseUrl: string) => {
  const base = new URL(baseUrl);
  const prefix = base.pathname.replace(/\/+$/, '');
  // Each job has a deadline; undici's own time-outs would cut long recognitions short.
  const pool = new Pool(base.origin, {
    connections: CONNECTIONS,
    connectTimeout: CONNECT_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  let extraFields: ReadonlySet<string> | undefined;

  return {
    /** True when the service has said in its last reply that it understands a field; undefined before any. */
    understands: (field: ExtraField): boolean | undefined => extraFields?.has(field),
    /**
     * Resolves with a success; any other status becomes a `ServiceError`, a network error an
     * `AppError`.
     */
    async send(
      { method, path, headers, body }: HttpRequest,
      key: ServiceKey,
      signal: AbortSignal,
    ): Promise<HttpReply> {
      const flooded = new AbortController();
      let provisional = 0;
      let reply: Dispatcher.ResponseData;
      try {
        reply = await pool.request({
          method,
          path: prefix + path,
          headers: { ...headers, authorization: `Bearer ${key.key}` },
          body: body?.() ?? null,
          signal: AbortSignal.any([signal, flooded.signal]),
          onInfo: () => {
            provisional += 1;
            if (provisional > MOST_PROVISIONAL)
              flooded.abort(new AppError('bad-reply', 'the service only announces its answer'));
          },
        });
      } catch (cause) {
        signal.throwIfAborted();
        throw networkError(cause);
      }
      if (reply.statusCode >= 200 && reply.statusCode < 300) {
        expectPlain(reply);
        const named = [reply.headers[EXTRA_FIELDS_HEADER] ?? []].flat().join();
        extraFields = new Set(named.split(',').map((field) => field.trim()));
        return { headers: reply.headers, body: reply.body, sent: key };
      }
      const waitMs = retryAfterHeaderMs(reply.headers, Date.now());
      const text = await readText(reply.body, ERROR_BODY_BYTES).catch(() => '');
      throw serviceError(reply.statusCode, waitMs, text, key);
    },
    async [Symbol.asyncDispose]() {
      await pool.destroy();
    },
  };
};

const mediaTypeOf = (reply: HttpReply): string => {
  const value = reply.headers['content-type'];
  return (
    ((Array.isArray(value) ? value[0] : value) ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  );
};

/** Checks the media type of a reply: a proxy's page must not be taken for audio. */
export const expectMediaType = (reply: HttpReply, fits: RegExp): string => {
  const mediaType = mediaTypeOf(reply);
  if (fits.test(mediaType)) return mediaType;
  const named = MEDIA_TYPE.test(mediaType) ? reply.sent.hide(mediaType) : 'no media type';
  throw discard(reply, `the service answered with ${named}`);
};

const firstIssue = (error: z.ZodError): string => {
  const [issue] = error.issues;
  return issue ? `${issue.path.join('.') || 'reply'}: ${issue.code}` : 'reply';
};

/**
 * Parses one JSON value of the service and ignores anything beyond the schema. An error object in
 * its place, as streams send it when they fail midway, becomes a `ServiceError`.
 */
export const parseReply = <T>(schema: z.ZodType<T>, text: string, sent: SentKey): T => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Its own error quotes the reply.
    throw new AppError('bad-reply', 'the reply is not JSON');
  }
  const failed = errorWithin(value);
  if (failed) throw serviceError(failed.status, undefined, text, sent);
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new AppError('bad-reply', `the reply has the wrong shape (${firstIssue(parsed.error)})`);
};

export const readJsonReply = async <T>(
  reply: HttpReply,
  schema: z.ZodType<T>,
  longestBytes = JSON_BODY_BYTES,
): Promise<T> => {
  let text: string;
  try {
    text = await readText(reply.body, longestBytes);
  } catch (cause) {
    throw networkError(cause);
  }
  return parseReply(schema, text, reply.sent);
};
