/** Numbers that all processes on one database use alike. Every method rejects as the store does. */
export interface Agreements {
  /** Resolves with the number of a name, which is this one where there was none. */
  agree(name: string, value: number): Promise<number>;
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
