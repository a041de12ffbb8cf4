import type { Member } from '../model/member.ts';
import type { Channel, Space } from '../model/place.ts';

/** The stored data whose changes every process has to know, each with what tells which part changed. */
export interface SignalTopics {
  readonly 'space-settings': Space;
  readonly glossary: Space | Channel;
  readonly watches: Space;
  readonly 'opt-out': Pick<Member, 'platform' | 'id'> & { readonly optedOut: boolean };
  readonly forgotten: Pick<Member, 'platform' | 'id'>;
}

export type SignalTopic = keyof SignalTopics;

/**
 * Tells every process, this one included, that stored data has changed, so that no copy of it in memory
 * outlives the change.
 */
export interface Signals<Transaction> {
  /**
   * Publishes a change within the transaction that makes it. It is delivered once the transaction is
   * committed, and never where it is undone. The write resolves when every subscriber of this process
   * is done, and rejects where one of them rejects.
   */
  publish<Topic extends SignalTopic>(
    within: Transaction,
    topic: Topic,
    changed: SignalTopics[Topic],
  ): Promise<void>;
  /**
   * Calls `receive` for each change, in the order in which the subscriptions were made. Returns what
   * ends the subscription.
   */
  subscribe<Topic extends SignalTopic>(
    topic: Topic,
    receive: (changed: SignalTopics[Topic]) => Promise<void> | void,
  ): () => void;
}
