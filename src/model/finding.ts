/** One line of what the doctor says. */
export interface Finding {
  /** The thing that was looked at, e.g. `Discord: token`. */
  readonly check: string;
  readonly ok: boolean;
  /** The finding, or the remedy. */
  readonly detail: string;
  /** Not being there is no failure. */
  readonly isOptional?: boolean;
}
