export interface WriteOptions {
  /**
   * False for data that can be found out again: the write resolves once it is committed, outlives
   * this process, and may be lost with the machine. Default: true, it resolves when it cannot be
   * lost any more.
   */
  readonly durable?: boolean;
}

/**
 * Changes stored data. Reads go to the engine directly.
 *
 * @typeParam Transaction what a write makes its changes with; of no use once the write is over
 */
export interface StorePort<Transaction> {
  /**
   * Runs `work` in a transaction, which others may share. Writes take effect in the order in which they
   * came; a write that rejects is undone, and no other with it. Resolves with the result of `work`.
   */
  write<T>(work: (within: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Resolves when nothing waits to be written. */
  written(): Promise<void>;
  /** Removes what was deleted from wherever the engine still keeps it. */
  checkpoint(): Promise<void>;
  /** Ends the connection; nothing may be asked of it afterwards. */
  [Symbol.asyncDispose](): Promise<void>;
}
