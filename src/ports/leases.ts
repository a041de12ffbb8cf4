/** The time in which one process alone may work on what a name stands for. */
export interface Tenure {
  readonly name: string;
  /** Larger than that of every earlier tenure of this name, in whatever process: fences what is written. */
  readonly epoch: number;
  /** Aborted when the tenure is lost, or when the signal is that it was acquired with. */
  readonly signal: AbortSignal;
  isHeld(): boolean;
  /** Throws `cancelled` when it is lost or released. To be called right before each effect on the outside. */
  assertHeld(): void;
  release(): Promise<void>;
}

/** Gives names to one holder at a time, over all processes that share a store. */
export interface Leases {
  /**
   * Waits until nobody else holds the name.
   *
   * @param signal ends the wait, with its reason, and later the tenure's own signal
   */
  acquire(name: string, signal: AbortSignal): Promise<Tenure>;
}
