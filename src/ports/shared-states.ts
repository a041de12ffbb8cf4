/** The outcome of a change of a state. */
export interface StateChange<Result> {
  /** The new text; undefined: the state stays as it was. */
  readonly state?: string | undefined;
  /** True where the other processes are to hear of it. */
  readonly isNews?: boolean;
  readonly result: Result;
}

/**
 * Small texts that all processes on one database change, each by its name. One that nobody changes for
 * a day may be forgotten.
 */
export interface SharedStates {
  /**
   * Changes a state while no other process does. Rejects as the database does.
   *
   * @param change gets the text, undefined where there is none, and the database's time in ms
   */
  change<Result>(
    name: string,
    change: (state: string | undefined, nowMs: number) => StateChange<Result>,
  ): Promise<Result>;
  /** Calls `hear` with the name of each state of which another process has news. */
  watch(hear: (name: string) => void): () => void;
}
