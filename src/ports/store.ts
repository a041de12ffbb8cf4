export interface WriteOptions {
  /**
   * False for data that can be restored: the write resolves once it is committed; it survives the
   * end of this process, but perhaps not a loss of power. Default: true; the write resolves when it
   * survives both.
   */
  readonly durable?: boolean;
  /**
   * True where each statement of the write stands for itself, so that the engine may leave out the transaction. Earlier
   * statements then stay done when a later one fails, and one whose answer was lost may be run again. Default: false.
   */
  readonly separate?: boolean;
}

/**
 * Changes stored data. Reads use the database engine directly.
 *
 * @typeParam Transaction handle through which a write makes its changes; invalid after the write
 */
export interface StorePort<Transaction> {
  /**
   * Runs `work` in a transaction that other writes may share. Writes that are equally durable take
   * effect in the order of the calls; a write that rejects is rolled back alone, unless it is
   * `separate`. Resolves with the result of `work`.
   */
  write<T>(work: (within: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Resolves when no write is pending. */
  written(): Promise<void>;
  /** Removes deleted data from wherever the engine still keeps it. */
  checkpoint(): Promise<void>;
  /** Closes the connection; no call is valid afterwards. */
  [Symbol.asyncDispose](): Promise<void>;
}
