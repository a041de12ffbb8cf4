interface Transition {
  readonly id: number;
  readonly members: readonly string[];
  readonly waiting: Set<string>;
  readonly timer: NodeJS.Timeout;
}

export interface TransitionsOptions {
  /** Says op 22 to them. */
  execute(id: number, members: readonly string[]): void;
  /** The time for answers is over. */
  expired(id: number): void;
  /** Nobody is waited for any more. */
  answered(): void;
  readonly readyTimeoutMs: number;
}

/** Op 23 gathered and op 22 said: who has yet to be ready for which change of keys or of version. */
export class Transitions {
  readonly #options: TransitionsOptions;
  readonly #open = new Map<number, Transition>();
  /** Executed as soon as nobody holds them back. */
  #held: Transition[] = [];
  #holds = 0;
  #lastId = 0;

  constructor(options: TransitionsOptions) {
    this.#options = options;
  }
  /** Somebody has not said yet whether a commit or welcome was good. */
  get waiting(): boolean {
    return this.#open.size > 0;
  }
  /** Every transition has been executed. */
  get done(): boolean {
    return !this.waiting && this.#held.length === 0;
  }
  /** Op 23 of all of them is needed, or else the time that the server waits. Ids are 16 bits, not 0. */
  begin(members: readonly string[]): number {
    const id = (this.#lastId = (this.#lastId % 0xff_ff) + 1);
    const timer = setTimeout(() => this.#options.expired(id), this.#options.readyTimeoutMs).unref();
    this.#open.set(id, { id, members, waiting: new Set(members), timer });
    return id;
  }
  ready(userId: string, id: number): void {
    const transition = this.#open.get(id);
    transition?.waiting.delete(userId);
    if (transition?.waiting.size === 0) this.finish(id);
  }
  /** Somebody went, or began anew: nobody waits for them. */
  forget(userId: string): void {
    for (const id of this.#open.keys()) this.ready(userId, id);
  }
  /** Op 22 is not said until the returned function is called. */
  hold(): () => void {
    this.#holds += 1;
    let held = true;
    return () => {
      if (held) this.#holds -= 1;
      held = false;
      if (this.#holds === 0) this.#release();
    };
  }
  /** Nothing of before is left when a group or version ends: all is executed, held back or not. */
  flush(): void {
    for (const id of this.#open.keys()) this.finish(id);
    this.#release();
  }
  finish(id: number): void {
    const transition = this.#open.get(id);
    if (transition === undefined) return;
    clearTimeout(transition.timer);
    this.#open.delete(id);
    if (this.#holds > 0) this.#held.push(transition);
    else this.#options.execute(id, transition.members);
    this.#options.answered();
  }
  clear(): void {
    for (const { timer } of this.#open.values()) clearTimeout(timer);
    this.#open.clear();
    this.#held = [];
  }
  #release(): void {
    const due = this.#held;
    this.#held = [];
    for (const { id, members } of due) this.#options.execute(id, members);
  }
}
