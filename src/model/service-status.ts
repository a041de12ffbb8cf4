/** One row of the table of engines: those that work, and how to add the others. */
export interface EngineReport {
  readonly name: string;
  /** The kinds of work that it does. */
  readonly serves: readonly ('speech' | 'recognition' | 'translation' | 'chat')[];
  readonly ready: boolean;
  /** The features of a ready engine; otherwise the instruction that adds it. */
  readonly detail: string;
}

export interface ServiceStatus {
  readonly builtIn: boolean;
  readonly reachable: boolean;
  readonly engines: readonly EngineReport[];
}

/** One result of the doctor's checks. */
export interface Finding {
  /** The thing that was looked at, e.g. `Discord: token`. */
  readonly check: string;
  readonly ok: boolean;
  /** The finding, or the remedy. */
  readonly detail: string;
  /** True when its absence is no failure. */
  readonly isOptional?: boolean;
}
