/** The data about people that a platform keeps itself, outside of the store. */
export interface PersonalData {
  /** Resolves with all data about one person, to be written as JSON. */
  export(personId: string): Promise<Readonly<Record<string, unknown>>>;
  /** Deletes all data about one person, everywhere it is shown. */
  forget(personId: string): Promise<void>;
  /** Takes a person's opt-out: stops work on their messages and deletes translations of them. */
  optedOut(personId: string): void;
}
