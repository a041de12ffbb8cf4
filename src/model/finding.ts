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
