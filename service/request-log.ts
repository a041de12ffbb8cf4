import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { MiddlewareHandler } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { KEY_PREFIX } from '../src/api/contract.ts';
import type { Log } from '../src/log.ts';
import type { KeyAccount } from './keys/account.ts';

/** Header that carries a request's id from the client to back ends, and back. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** The ids that are taken over from clients; what others send may be anything. */
const ACCEPTED_ID = /^[\w.:-]{1,128}$/;
/** Matches a key of the service where it should not be: in a path, or as an id. */
const MISPLACED_KEY = new RegExp(`${KEY_PREFIX.replace(':', '(?::|%3a)')}[^/]*`, 'gi');
/** Most characters of a path in the log: paths of the service are shorter. */
const LOGGED_PATH_CHARACTERS = 80;

const current = new AsyncLocalStorage<string>();

/** The id of the request that is being served; undefined outside of any. */
export const currentRequestId = (): string | undefined => current.getStore();

/** Facts of a request that its log line names. */
export interface RequestVariables {
  /** The API key, once it is checked. */
  account: KeyAccount;
}

/**
 * Takes over or creates the id of each request, and logs a line once it is answered: no text, no
 * query and no key.
 */
export const createRequestLog =
  (log: Log): MiddlewareHandler<{ Bindings: HttpBindings; Variables: RequestVariables }> =>
  async (c, next) => {
    const given = c.req.header(REQUEST_ID_HEADER) ?? '';
    const isAccepted = ACCEPTED_ID.test(given) && given.search(MISPLACED_KEY) < 0;
    const requestId = isAccepted ? given : randomUUID();
    const { outgoing } = c.env;
    const startMs = performance.now();
    outgoing.once('close', () => {
      log.info(
        {
          requestId,
          method: c.req.method,
          path: c.req.path.replaceAll(MISPLACED_KEY, '…').slice(0, LOGGED_PATH_CHARACTERS),
          status: outgoing.statusCode,
          // A client that left did not get the whole reply.
          whole: outgoing.writableFinished,
          ms: Math.round(performance.now() - startMs),
          by: (c.get('account') as KeyAccount | undefined)?.name,
        },
        'request',
      );
    });
    await current.run(requestId, next);
    c.res.headers.set(REQUEST_ID_HEADER, requestId);
  };
