import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { context, SpanKind, trace } from '@opentelemetry/api';
import type { MiddlewareHandler } from 'hono';
import type { HttpBindings } from '@hono/node-server';
import { KEY_PREFIX } from '../src/api/contract.ts';
import type { Log } from '../src/telemetry/log.ts';
import { parseTraceparent, type Tracing } from '../src/telemetry/tracing.ts';
import type { KeyAccount } from './keys/account.ts';

/** Header that carries a request's id from the client to back ends, and back. */
export const REQUEST_ID_HEADER = 'x-request-id';

/** The ids that are taken over from clients; what others send may be anything. */
const ACCEPTED_ID = /^[\w.:-]{1,128}$/;
/** Matches a key of the service where it should not be: in a path, or as an id. */
const MISPLACED_KEY = new RegExp(`${KEY_PREFIX.replace(':', '(?::|%3a)')}[^/]*`, 'gi');
/** Matches what makes the address of a translated file one that nobody can guess. */
const FILE_ID = /(?<=^\/download_file\/).+/;
/** Most characters of a path in the log: paths of the service are shorter. */
const LOGGED_PATH_CHARACTERS = 80;

const current = new AsyncLocalStorage<string>();

/** The id of the request that is being served; undefined outside of any. */
export const currentRequestId = (): string | undefined => current.getStore();

/** Facts of a request that its log line names. */
export interface RequestVariables {
  /** The owner of the API key, once it is checked. */
  account: KeyAccount;
}

/** Takes over a client's id of a request, or makes one where it gave none that is accepted. */
export const requestIdFrom = (given = ''): string =>
  ACCEPTED_ID.test(given) && given.search(MISPLACED_KEY) < 0 ? given : randomUUID();

/** Calls `run` and what it begins as parts of a request. */
export const inRequest = <T>(requestId: string, run: () => T): T => current.run(requestId, run);

/** An answered request, as its log line names it. */
interface AnsweredRequest {
  readonly requestId: string;
  readonly method: string;
  /** Path without a query. */
  readonly path: string;
  readonly status: number;
  /** False when the client left before it had the whole reply. */
  readonly whole: boolean;
  readonly ms: number;
  /** Name of the key; undefined for one that is missing or unknown. */
  readonly by: string | undefined;
}

const shownPath = (path: string): string =>
  path.replaceAll(MISPLACED_KEY, '…').replace(FILE_ID, '…').slice(0, LOGGED_PATH_CHARACTERS);

/** Logs the line of a request: no text, no query and no key. */
export const logRequest = (log: Pick<Log, 'info'>, answered: AnsweredRequest): void => {
  const { path, ms } = answered;
  log.info({ ...answered, path: shownPath(path), ms: Math.round(ms) }, 'request');
};

/**
 * Takes over or creates the id of each request, and logs a line once it is answered. A client’s trace
 * goes on.
 */
export const createRequestLog =
  (
    log: Log,
    tracing: Tracing,
  ): MiddlewareHandler<{ Bindings: HttpBindings; Variables: RequestVariables }> =>
  async (c, next) => {
    const requestId = requestIdFrom(c.req.header(REQUEST_ID_HEADER));
    const { outgoing } = c.env;
    const startMs = performance.now();
    const parent = parseTraceparent(c.req.header('traceparent'));
    const span = tracing.tracer.startSpan('serve', { kind: SpanKind.SERVER }, parent);
    const within = trace.setSpan(parent, span);
    const logLine = (): void =>
      logRequest(log, {
        requestId,
        method: c.req.method,
        path: c.req.path,
        status: outgoing.statusCode,
        whole: outgoing.writableFinished,
        ms: performance.now() - startMs,
        by: (c.get('account') as KeyAccount | undefined)?.name,
      });
    outgoing.once('close', () => {
      context.with(within, logLine);
      span.setAttributes({ path: shownPath(c.req.path), status: outgoing.statusCode }).end();
    });
    await inRequest(requestId, () => context.with(within, next));
    c.res.headers.set(REQUEST_ID_HEADER, requestId);
  };
