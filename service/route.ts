import type { Context } from 'hono';
import type { z } from 'zod';
import type { Log } from '../src/telemetry/log.ts';
import type { EngineConfig } from './config.ts';
import type { Engines } from './engine-loader.ts';
import type { AccessKind } from './keys/access.ts';
import type { KeyAccount } from './keys/account.ts';

export interface RouteContext {
  readonly request: Request;
  readonly engines: Engines;
  readonly config: EngineConfig;
  readonly log: Log;
  /** The owner of the client's API key, with what they may do. */
  readonly account: KeyAccount;
  /** Aborted when the client has left or the route has timed out. */
  readonly signal: AbortSignal;
  /** Breaks the connection. */
  readonly cutOff: () => void;
  /** Sets the time that the request may take from now on, in place of the route's. */
  readonly allowMs: (ms: number) => void;
}

/** Description of a path for clients; see `openapi.ts`. */
export interface DescribedPath {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly summary: string;
  /** Schemas with which a body is checked, by its media type. */
  readonly body?: Readonly<Record<string, z.ZodType>>;
  /** Media types of a reply, with the schema of those that the contract shows. Default: JSON. */
  readonly reply?: Readonly<Record<string, z.ZodType | undefined>>;
}

/** A path that everybody may read. */
export interface OpenPath extends DescribedPath {
  readonly method: 'GET';
  readonly answer: (context: Context) => Response | Promise<Response>;
}

/** A path of the contract (section 4.1), or beside it. */
export interface Route extends DescribedPath {
  /** Access that a key needs for it; undefined for lists, which are free. */
  readonly access?: AccessKind;
  /** The stage that its errors name (section 2.6 `context`). */
  readonly stage: string;
  /** Longest time of a request. Default: 30 s. */
  readonly timeoutMs?: number;
  handle(context: RouteContext): Promise<Response>;
}
