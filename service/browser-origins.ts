import type { IncomingHttpHeaders } from 'node:http';
import type { MiddlewareHandler } from 'hono';
import { cors } from 'hono/cors';
import { REQUEST_ID_HEADER } from './request-log.ts';
import { AI_DISCLOSURE } from './respond.ts';

/** Subprotocol that clients of the OpenAI API offer, beside the one that holds the key. */
const OWN_PROTOCOL = 'realtime';
/** Subprotocol that holds a key, as base64url: a key has characters that a subprotocol may not have. */
const KEY_PROTOCOL = 'openai-insecure-api-key.';
/** Time for which a browser need not ask again. */
const PREFLIGHT_SECONDS = 600;

/** Lets pages of exactly these origins send requests and read the replies; they still need a key. */
export const allowOrigins = (origins: readonly string[]): MiddlewareHandler =>
  origins.length === 0
    ? (_, next) => next()
    : cors({
        origin: [...origins],
        allowMethods: ['GET', 'POST'],
        exposeHeaders: [REQUEST_ID_HEADER, 'retry-after', AI_DISCLOSURE.name],
        maxAge: PREFLIGHT_SECONDS,
      });

/**
 * Finds what a WebSocket's upgrade has as its `Authorization`. Browsers let pages set no headers, so
 * pages of these origins may send the key as a subprotocol.
 */
export const upgradeAuthorization = (
  headers: IncomingHttpHeaders,
  origins: readonly string[],
): string | null => {
  const { authorization, origin = '', 'sec-websocket-protocol': offered = '' } = headers;
  if (authorization !== undefined || !origins.includes(origin)) return authorization ?? null;
  const holder = offered
    .split(',')
    .map((one) => one.trim())
    .find((one) => one.startsWith(KEY_PROTOCOL));
  if (holder === undefined) return null;
  return `Bearer ${Buffer.from(holder.slice(KEY_PROTOCOL.length), 'base64url').toString('utf8')}`;
};

/** Chooses the subprotocol of a connection, which is never a key; false for none. */
export const chooseProtocol = (offered: ReadonlySet<string>): string | false => {
  if (offered.has(OWN_PROTOCOL)) return OWN_PROTOCOL;
  return [...offered].find((one) => !one.startsWith(KEY_PROTOCOL)) ?? false;
};
