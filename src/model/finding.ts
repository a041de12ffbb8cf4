/** One line of what the doctor says. */
export interface Finding {
  /** What was looked at, e.g. `Discord: token`. */
  readonly check: string;
  readonly ok: boolean;
  /** What was found, or what to do. */
  readonly detail: string;
  /** Not being there is no failure. */
  readonly isOptional?: boolean;
}
