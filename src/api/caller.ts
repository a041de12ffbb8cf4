import { type Transport } from './transport.ts';
export interface CallOptions {
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
}

/** Makes calls with a deadline and a limited number of attempts. Shared by every group of paths. */
export interface Caller {
  readonly transport: Transport;
  once<T>(
    options: CallOptions,
    defaultMs: number,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Resolves with the rest of the reply, which comes within the same deadline. */
  opened<T>(
    options: CallOptions,
    defaultMs: number,
    run: (signal: AbortSignal) => Promise<AsyncIterable<T>>,
  ): Promise<AsyncIterable<T>>;
  states<T, R>(
    options: CallOptions,
    defaultMs: number,
    run: (signal: AbortSignal) => AsyncGenerator<T, R, void>,
  ): AsyncGenerator<T, R, void>;
}
