/** One line of the table that says what works here, and how to add what does not. */
export interface EngineReport {
  readonly name: string;
  /** The kinds of work that it does. */
  readonly serves: readonly ('speech' | 'recognition' | 'translation' | 'chat')[];
  readonly ready: boolean;
  /** Ready: what it offers. Otherwise the one line that adds it. */
  readonly detail: string;
}

export interface ServiceStatus {
  readonly builtIn: boolean;
  readonly reachable: boolean;
  readonly engines: readonly EngineReport[];
}
