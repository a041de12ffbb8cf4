/** The period in which one process alone may work on the thing that a name stands for. */
export interface Tenure {
  readonly name: string;
  /**
   * Number of the tenure, larger than that of every earlier tenure of this name in any process;
   * used as a fencing token for writes.
   */
  readonly epoch: number;
  /** Aborted when the tenure is lost, or with the signal given to `acquire`. */
  readonly signal: AbortSignal;
  isHeld(): boolean;
  /**
   * Throws `cancelled` when the tenure is lost or released. Call it right before each external
   * effect.
   */
  assertHeld(): void;
  release(): Promise<void>;
}

/** Gives each name to one holder at a time, across all processes that share a store. */
export interface Leases {
  /**
   * Waits until nobody else holds the name.
   *
   * @param signal aborts the wait with its reason, and later the tenure's own signal
   */
  acquire(name: string, signal: AbortSignal): Promise<Tenure>;
}
