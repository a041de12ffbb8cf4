import type { ConnectionEffect } from '../spoil.ts';
import type { Clock } from './clock.ts';

/** JSON as it goes over the wire. */
export type Json = Record<string, unknown>;

/** An answer that is no success, in Discord's shape: `{code, message, errors?}`. */
export class Fault extends Error {
  readonly status: number;
  readonly body: Json;
  readonly headers: Record<string, string>;

  constructor(status: number, body: Json, headers: Record<string, string> = {}) {
    super(String(body['message']));
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The JSON error codes that are told here (reference, "JSON error codes"). */
const KNOWN: Readonly<Record<number, readonly [status: number, message: string]>> = {
  0: [404, '404: Not Found'],
  10003: [404, 'Unknown Channel'],
  10004: [404, 'Unknown Guild'],
  10007: [404, 'Unknown Member'],
  10008: [404, 'Unknown Message'],
  10013: [404, 'Unknown User'],
  10026: [404, 'Unknown Ban'],
  10014: [400, 'Unknown Emoji'],
  10015: [404, 'Unknown Webhook'],
  10062: [404, 'Unknown interaction'],
  10063: [404, 'Unknown application command'],
  10065: [404, 'Unknown Voice State'],
  10011: [404, 'Unknown Role'],
  30005: [400, 'Maximum number of server roles reached (250)'],
  30013: [400, 'Maximum number of server channels reached (500)'],
  30003: [400, 'Maximum number of pins reached for the channel (250)'],
  30007: [400, 'Maximum number of webhooks reached (15)'],
  30010: [400, 'Maximum number of reactions reached (20)'],
  30015: [400, 'Maximum number of attachments in a message reached (10)'],
  30034: [400, 'Max number of daily application command creates has been reached (200)'],
  40005: [413, 'Request entity too large'],
  40060: [400, 'Interaction has already been acknowledged.'],
  40094: [400, 'Maximum number of follow up messages has been reached for this interaction.'],
  50001: [403, 'Missing Access'],
  50003: [403, 'Cannot execute action on a DM channel'],
  50005: [403, 'Cannot edit a message authored by another user'],
  50006: [400, 'Cannot send an empty message'],
  50007: [403, 'Cannot send messages to this user'],
  50008: [400, 'Cannot send messages in a non-text channel'],
  50013: [403, 'Missing Permissions'],
  50016: [
    400,
    'Provided too few or too many messages to delete. Must provide at least 2 and fewer than 100 messages to delete.',
  ],
  50021: [403, 'Cannot execute action on a system message'],
  50024: [400, 'Cannot execute action on this channel type'],
  50027: [401, 'Invalid Webhook Token'],
  50034: [400, 'You can only bulk delete messages that are under 14 days old.'],
  50083: [400, 'Thread is archived'],
  50109: [400, 'The request body contains invalid JSON.'],
  50161: [400, 'Voice messages must have a single audio attachment'],
  50159: [400, 'Voice messages do not support additional content'],
  50160: [400, 'Voice messages must have a single audio attachment'],
  50162: [400, 'Voice messages must have supporting metadata'],
  50173: [403, 'You cannot send voice messages in this channel'],
  160002: [400, 'Cannot reply without permission to read message history'],
  160006: [400, 'Maximum number of active threads reached'],
  160004: [400, 'A thread has already been created for this message'],
};

/** One of Discord's known errors. */
export const fault = (code: number): Fault => {
  const known = KNOWN[code];
  if (known === undefined) throw new Error(`no words for error ${code}`);
  const [status, message] = known;
  return new Fault(status, { message, code });
};

/** How a request is spoilt: as on any connection, or by an answer of Discord's. */
export type Effect =
  | ConnectionEffect
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> };

/** A request as faults choose it. */
export interface FaultyRequest {
  readonly path: string;
  readonly body: Json;
}

/** A 429 as Discord words it. `retryAfterMs` is what the other side really has to wait. */
export const tooMany = (
  clock: Clock,
  retryAfterMs: number,
  details: { code?: number; message?: string; global?: boolean; scope?: string } = {},
): Fault => {
  const seconds = Math.max(0.001, Math.ceil(retryAfterMs) / 1000);
  const global = details.global ?? false;
  return new Fault(
    429,
    {
      message: details.message ?? 'You are being rate limited.',
      retry_after: seconds,
      global,
      ...(details.code === undefined ? {} : { code: details.code }),
    },
    {
      'retry-after': String(seconds),
      'x-ratelimit-scope': details.scope ?? (global ? 'global' : 'user'),
      'x-ratelimit-reset': String((clock.now() + retryAfterMs) / 1000),
      'x-ratelimit-reset-after': String(seconds),
      ...(global ? { 'x-ratelimit-global': 'true' } : {}),
    },
  );
};
