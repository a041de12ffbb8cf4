import type { Asker } from '../model/service.ts';
import type { ExtraField, PATHS } from './contract.ts';
import type { ServiceKey } from './keys.ts';
import type { HttpReply, HttpRequest } from './transport.ts';

/** A path of the contract, by its name in `PATHS`, or the list of models. */
export type Endpoint = keyof typeof PATHS | 'models';

/** Options of every call; the lane and the space say who asks. */
export interface CallOptions extends Asker {
  /** Aborted when the answer is no longer wanted. */
  readonly signal: AbortSignal;
  /**
   * Limit for the whole call: all attempts and waits, and the body to its end. A text that is sent
   * in parts has as much for each.
   */
  readonly deadlineMs?: number;
  /**
   * True when the caller has a fallback: refusals (5xx) are then not retried, while a busy service
   * and a broken connection still are.
   */
  readonly hasFallback?: boolean;
  /** True for one of several languages that are tried for a text: that no engine has it is no failure. */
  readonly isTrial?: boolean;
  /** Length of the audio that is sent, where it is known. */
  readonly audioMs?: number;
  /** Called with false when a request waits for its turn, also after a refusal, and with true when it is sent. */
  readonly underWay?: (isSent: boolean) => void;
  /** The key to send, where what is learnt counts for that key. Default: the space's at the moment. */
  readonly key?: ServiceKey;
}

/** A call of an endpoint; each of its attempts sends one request. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly options: CallOptions;
  /** Limit where the options have none. */
  readonly defaultMs: number;
  /** Code points of the text that is sent. */
  readonly characters?: number;
}

/** The tools of an attempt. */
export interface Attempt {
  /** Aborted when the caller leaves or the deadline has passed. */
  readonly signal: AbortSignal;
  /** True for a field beyond the contract that the service understands. */
  readonly understands: (field: ExtraField) => boolean | undefined;
  /** Sends the attempt's request with the key of its call; see `Transport.send`. */
  readonly send: (request: HttpRequest) => Promise<HttpReply>;
  /** Notes the tokens of which the reply tells. */
  readonly used: (usage: { readonly total_tokens?: number | null | undefined }) => void;
}

/** Makes calls with a deadline and a limited number of attempts. Shared by every group of paths. */
export interface Caller {
  once<T>(call: Call, run: (attempt: Attempt) => Promise<T>): Promise<T>;
  /** Resolves with the rest of the reply, which comes within the same deadline. */
  opened<T>(
    call: Call,
    run: (attempt: Attempt) => Promise<AsyncIterable<T>>,
  ): Promise<AsyncIterable<T>>;
  states<T, R>(
    call: Call,
    run: (attempt: Attempt) => AsyncGenerator<T, R, void>,
  ): AsyncGenerator<T, R, void>;
}
