import type { Person } from '../model/member.ts';
import type { Channel, Space } from '../model/place.ts';

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
   * every process has finished, and rejects when one of them rejects.
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
  /**
   * False while changes of other processes may be missed; whatever is cached is then to be read from
   * the store.
   */
  readonly isCurrent: () => boolean;
}
