import type { Signals, SignalTopic, SignalTopics } from '../ports/store.ts';

interface Published {
  readonly topic: SignalTopic;
  readonly changed: SignalTopics[SignalTopic];
}

type Receive = (changed: never) => Promise<void> | void;

/** Signals within one process. */
export interface LocalSignals<Transaction> extends Signals<Transaction> {
  /** Calls the subscribers of a topic, one after the other. Rejects as they do. */
  readonly deliver: (
    topic: SignalTopic,
    changed: SignalTopics[SignalTopic] | undefined,
  ) => Promise<void>;
  /**
   * Ends one write of a transaction. Returns the function that delivers its signals, to be called
   * once the transaction is committed.
   */
  collect(within: Transaction): () => Promise<void>;
}

/** Creates the signals of a database that only one process uses. */
export const createLocalSignals = <Transaction extends object>(): LocalSignals<Transaction> => {
  const subscribers = new Map<SignalTopic, Set<Receive>>();
  const published = new WeakMap<Transaction, Published[]>();

  const deliver: LocalSignals<Transaction>['deliver'] = async (topic, changed) => {
    for (const receive of subscribers.get(topic) ?? []) await receive(changed as never);
  };

  return {
    publish: async (within, topic, changed) => {
      published.set(within, [...(published.get(within) ?? []), { topic, changed }]);
    },
    subscribe: (topic, receive) => {
      const all = subscribers.get(topic) ?? new Set();
      // The same function may subscribe twice.
      const own: Receive = (changed) => receive(changed);
      subscribers.set(topic, all.add(own));
      return () => void all.delete(own);
    },
    isCurrent: () => true,
    deliver,
    collect: (within) => {
      const all = published.get(within) ?? [];
      published.delete(within);
      return async () => {
        for (const { topic, changed } of all) await deliver(topic, changed);
      };
    },
  };
};
