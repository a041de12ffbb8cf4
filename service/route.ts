import type { Log } from '../src/telemetry/log.ts';
import type { EngineConfig } from './config.ts';
import type { Engines } from './engine-loader.ts';
import type { FailureRules } from './errors.ts';
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

/** A path of the contract (section 4.1). */
export interface Route {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** Access that a key needs for it; undefined for lists, which are free. */
  readonly access?: AccessKind;
  /** The stage that its errors name (section 2.6 `context`). */
  readonly stage: string;
  readonly timeoutMs: number;
  readonly failures?: FailureRules;
  handle(context: RouteContext): Promise<Response>;
}
