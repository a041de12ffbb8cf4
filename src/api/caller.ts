import { type Transport } from './transport.ts';
export interface CallOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * Limit for the whole call: every try, every wait, the body to its end. A text that is sent in
   * parts has as much for each.
   */
  readonly deadlineMs?: number;
  /**
   * True where the caller has a fallback: a refusal (5xx) is then not retried, a busy service and a
   * broken connection are.
   */
  readonly hasFallback?: boolean;
}

/** Makes calls: starts the deadline, counts the tries. Shared by every group of paths. */
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
