import { type Transport } from './transport.ts';
export interface CallOptions {
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal;
  /**
   * For the whole call: every try, every wait, the body to its end. A text that is sent in parts has
   * as much for each.
   */
  readonly deadlineMs?: number;
  /**
   * The caller knows another way to get what it wants, so an answer that says no (5xx) is not asked
   * for again; a busy service and a broken connection are.
   */
  readonly hasFallback?: boolean;
}

/** How one call is made: its deadline started, its tries counted. Shared by every group of paths. */
export interface Caller {
  readonly transport: Transport;
  once<T>(
    options: CallOptions,
    defaultMs: number,
    run: (signal: AbortSignal) => Promise<T>,
  ): Promise<T>;
  /** Resolves with what still comes, within the same deadline. */
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
