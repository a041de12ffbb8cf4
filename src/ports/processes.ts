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

/** Options of an effect outside the database that only the holder of a lease may have. */
export interface WhileHeld {
  /**
   * Throws once the caller must not act any more. It is called right before each request that posts, changes or deletes
   * something, after all waits: a process that stood still goes on before it hears that its lease is over. Default: never.
   */
  readonly assertHeld?: (() => void) | undefined;
}

/**
 * Work on a name. It is disposed of before the tenure is given to another process, and must then
 * finish or leave what is under way. A tenure that is lost has its signal aborted instead, without a
 * wait.
 */
export interface Work extends AsyncDisposable {
  /** Hears what some process told the holder of the name. */
  hear(message: string): void;
}

/** A process's part of a set of names; disposed of, it gives them all back. */
export interface Share extends AsyncDisposable {
  /** Claims no more names, and leaves free ones to other processes. Those that are held are kept and renewed. */
  stopClaiming(): void;
}

/** Options of a process that takes part in a set of names. */
export interface ShareOptions {
  /** Time for which a name that was just taken is not given to a process that lacks its part. Default: none. */
  readonly holdMs?: number;
  /** Time between joining and the first claim, so that parts are those of all who join meanwhile. Default: none. */
  readonly joinMs?: number;
  /** True: takes part only while no other process does, so that nothing of a set that is about to end moves. */
  readonly isEnding?: boolean;
}

/** Gives each name to one holder at a time, across all processes that share a store. */
export interface Leases {
  /**
   * Waits until nobody else holds the name.
   *
   * @param signal aborts the wait with its reason, and later the tenure's own signal
   */
  acquire(name: string, signal: AbortSignal): Promise<Tenure>;
  /** True while some process holds a name of a set: one that begins with the set and a colon. */
  isAnyHeld(set: string): Promise<boolean>;
  /**
   * Holds this process's part of a set of names, in equal parts with all other processes that share
   * the set, until it is disposed of; each name is `<set>:<index>`.
   *
   * @param set one word; one process shares it once
   * @param size number of the names, the same in all processes
   */
  share(set: string, size: number, begin: (tenure: Tenure) => Work, options?: ShareOptions): Share;
  /**
   * Tells the holder of a shared name something, at most 7,000 bytes. It is lost where nobody holds the name or
   * its holder changes.
   */
  tell(name: string, message: string): void;
  /** Time that the last renewal of leases took, or the one under way has taken; absent where none are renewed. */
  readonly renewalMs?: () => number;
}

/** A limit on how often something is done. */
export interface QuotaRate {
  readonly perSecond: number;
  /** Most at once, after a pause. */
  readonly burst: number;
}

/**
 * Rates that all processes on one database keep together. Uses of one name are given the same rate
 * everywhere. The name of a space’s rate begins with its key and a space, so that it goes with it.
 */
export interface Quota {
  /**
   * Waits for one use, in the order of this process's calls. Rejects with the signal's reason, and as
   * the database does once that has been away for a minute.
   */
  take(name: string, rate: QuotaRate, signal?: AbortSignal): Promise<void>;
  /** Counts one use at once; false where the rate is used up. Rejects as the database does. */
  tryTake(name: string, rate: QuotaRate): Promise<boolean>;
  /**
   * Gives no use to any process for so long, at most ten seconds, and no burst after it. Rejects as the
   * database does.
   */
  hold(name: string, ms: number): Promise<void>;
}

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

/** The ways in which this process shares its work with all others on the same database. */
export interface Processes {
  /** True where no other process can use the database. */
  readonly isAlone: boolean;
  readonly leases: Leases;
  readonly quota: Quota;
  readonly agreements: Agreements;
}
