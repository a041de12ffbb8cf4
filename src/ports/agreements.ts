/** Numbers that all processes on one database use alike. Every method rejects as the store does. */
export interface Agreements {
  /** Resolves with the number of a name, which is this one where there was none. */
  agree(name: string, value: number): Promise<number>;
  /**
   * Sets a number that is `former` to `value`, unless some process holds a lease of a set; resolves with the number then.
   * Whoever acquires such a lease, and is then told `former` by `agree`, keeps this from being done.
   */
  replace(
    name: string,
    change: {
      readonly former: number;
      readonly value: number;
      /** The set, as `Leases.isAnyHeld` has it. */
      readonly unlessHeld: string;
    },
  ): Promise<number>;
  /** The numbers whose names begin with `prefix`. */
  read(prefix: string): Promise<ReadonlyMap<string, number>>;
  /** Sets numbers together; undefined: removes them. */
  write(values: Readonly<Record<string, number | undefined>>): Promise<void>;
  /**
   * Calls `look` after each change, by any process, of a number whose name begins with `prefix`, and
   * where one may have been missed.
   */
  watch(prefix: string, look: () => void): () => void;
}
