import type { Person, Channel, Space } from '../model/place.ts';

export interface WriteOptions {
  /**
   * False for data that can be restored: the write resolves once it is committed; it survives the
   * end of this process, but perhaps not a loss of power. Default: true; the write resolves when it
   * survives both.
   */
  readonly durable?: boolean;
  /**
   * True where each statement of the write stands for itself, so that the engine may leave out the transaction. Earlier
   * statements then stay done when a later one fails, and one whose answer was lost may be run again. Default: false.
   */
  readonly separate?: boolean;
}

/**
 * Changes stored data. Reads use the database engine directly.
 *
 * @typeParam Transaction handle through which a write makes its changes; invalid after the write
 */
export interface StorePort<Transaction> {
  /**
   * Runs `work` in a transaction that other writes may share. Writes that are equally durable take
   * effect in the order of the calls; a write that rejects is rolled back alone, unless it is
   * `separate`. Resolves with the result of `work`.
   */
  write<T>(work: (within: Transaction) => Promise<T>, options?: WriteOptions): Promise<T>;
  /** Resolves when no write is pending. */
  written(): Promise<void>;
  /** Removes deleted data from wherever the engine still keeps it. */
  checkpoint(): Promise<void>;
  /** Closes the connection; no call is valid afterwards. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** The stored data whose changes every process must know, with the part that changed. */
export interface SignalTopics {
  readonly 'space-settings': Space;
  readonly 'space-key': Space;
  readonly glossary: Space | Channel;
  readonly watches: Space;
  readonly 'opt-out': Person & { readonly optedOut: boolean };
  readonly forgotten: Person;
  /** The space whose installation was stored, replaced or removed. */
  readonly installation: Space;
  /** The space whose messages that wait or were given up are tried again, as somebody asked for it. */
  readonly retried: Space;
  /** A number of `Agreements`, by its name. */
  readonly agreement: string;
  /** The space of which nothing is stored from now on, and nothing stays. */
  readonly 'space-left': Space;
  /** The space of which data is stored again. */
  readonly 'space-joined': Space;
}

export type SignalTopic = keyof SignalTopics;

/**
 * Reports changes of stored data to every process, this one included, so that no cached copy stays
 * outdated.
 */
export interface Signals<Transaction> {
  /**
   * Publishes a change within the transaction that makes it. It is delivered once the transaction
   * is committed, and never when it is rolled back. The write resolves when every subscriber in
   * every process has finished, and rejects when one of them rejects. Transactions that publish one topic follow each
   * other: what one reads after the call is as the one before left it.
   */
  publish<Topic extends SignalTopic>(
    within: Transaction,
    topic: Topic,
    changed: SignalTopics[Topic],
  ): Promise<void>;
  /**
   * Calls `receive` for each change, in the order of subscription. Returns the function that ends
   * the subscription.
   *
   * @param receive gets `undefined` where changes may have been missed: anything may have changed
   */
  subscribe<Topic extends SignalTopic>(
    topic: Topic,
    receive: (changed: SignalTopics[Topic] | undefined) => Promise<void> | void,
  ): () => void;
  /** False while changes of one of these topics may be missed; whatever is cached of them is then to be read from the store. */
  readonly isCurrent: (...topics: readonly SignalTopic[]) => boolean;
}

/** The outcome of a change of a state. */
export interface StateChange<Result> {
  /** The new text; undefined: the state stays as it was. */
  readonly state?: string | undefined;
  /** True where the other processes are to hear of it. */
  readonly isNews?: boolean;
  readonly result: Result;
}

/**
 * Small texts that all processes on one database change, each by its name. One that nobody changes for
 * a day may be forgotten.
 */
export interface SharedStates {
  /**
   * Changes a state while no other process does. Rejects as the database does.
   *
   * @param change gets the text, undefined where there is none, and the database's time in ms
   */
  change<Result>(
    name: string,
    change: (state: string | undefined, nowMs: number) => StateChange<Result>,
  ): Promise<Result>;
  /** Calls `hear` with the name of each state of which another process has news. */
  watch(hear: (name: string) => void): () => void;
}

export interface StoredSecret {
  readonly space: Space;
  /** Decrypts the secret. Throws `config` where no key of this process fits. */
  readonly open: () => string;
}

/** The spaces in which an app was installed, each with what its platform gave for it, encrypted. */
export interface InstallationStore {
  /** Resolves with the secret of a space as the adapter wrote it; undefined for an unknown space. */
  of(space: Space): Promise<string | undefined>;
  /** Resolves with what is stored of all spaces of a platform. */
  all(platform: string): Promise<readonly StoredSecret[]>;
  put(space: Space, secret: string): Promise<void>;
  /**
   * Stores another secret in place of the one that was read, in whichever way that is encrypted by now. False where
   * another one is stored meanwhile, or none.
   */
  replace(space: Space, before: string, after: string): Promise<boolean>;
  remove(space: Space): Promise<void>;
  /**
   * Calls `receive` for each change, in whichever process it was made; the write that makes it resolves once
   * `receive` has. Returns the function that ends this.
   *
   * @param receive gets `undefined` where changes may have been missed: any installation may have changed
   */
  watch(platform: string, receive: (space: Space | undefined) => Promise<void>): () => void;
}

export interface Delivery {
  /** Unique on the platform, and the same each time the event is delivered. */
  readonly id: string;
  /** The space through which it came. */
  readonly space: Space;
  /** Events with the same key are handled in the order in which they came. */
  readonly orderKey: string;
  /** Id of the person whose words are in the body; undefined where there are none. */
  readonly authorId?: string | undefined;
  /** The event, as JSON. */
  readonly body: string;
}

/**
 * Keeps the events that a platform wants acknowledged before they can be handled: the platform does not
 * wait for what has to be asked of it first.
 */
export interface Deliveries extends Disposable {
  /**
   * Resolves once an event is durably stored. It is then handled, once, in its order, also after a
   * restart; one that was stored before is not handled again.
   */
  take(delivery: Delivery): Promise<void>;
  /** Has what an earlier process left handled, before anything new. */
  resume(): Promise<void>;
  /** Resolves when everything of a space that was taken before the call was handled. */
  handled(space: Space): Promise<void>;
}

/**
 * Opens the deliveries of a platform.
 *
 * @param handle handles the body of an event. Where it rejects, it is called again later, unless the
 *   `AppError` is not retryable
 */
export type OpenDeliveries = (
  platform: string,
  handle: (body: string) => Promise<void>,
) => Deliveries;

/** An answer that somebody waits for. */
export interface AwaitedAnswer {
  readonly spaceId: string;
  readonly memberId: string;
  /** The place of the answer, as the platform finds it again after a restart; it holds no words of anybody. */
  readonly address: string;
}

/** Keeps the answers that people wait for, so that they are told when a process ends before them. */
export interface OpenAnswers extends AsyncDisposable {
  /** Keeps an answer from now on; the result is called when it has come. Neither throws. */
  begin(awaited: AwaitedAnswer): () => void;
  /** Begins to tell those whose process has ended, now and later on. */
  resume(): Promise<void>;
}

/**
 * Opens the awaited answers of a platform.
 *
 * @param tell tells somebody that their answer was interrupted; called once for each
 */
export type KeepOpenAnswers = (
  platform: string,
  tell: (awaited: AwaitedAnswer) => Promise<void>,
) => OpenAnswers;
