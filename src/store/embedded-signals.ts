import type { Signals, SignalTopic, SignalTopics } from '../ports/signals.ts';

interface Published {
  readonly topic: SignalTopic;
  readonly changed: SignalTopics[SignalTopic];
}

type Receive = (changed: never) => Promise<void> | void;

/** Signals of a database that only one process uses. */
export interface EmbeddedSignals<Transaction extends object> extends Signals<Transaction> {
  /**
   * Ends one write of a transaction. Returns the function that delivers its signals, to be called
   * once the transaction is committed.
   */
  readonly collect: (within: Transaction) => () => Promise<void>;
}

export const createEmbeddedSignals = <
  Transaction extends object,
>(): EmbeddedSignals<Transaction> => {
  const subscribers = new Map<SignalTopic, Set<Receive>>();
  const published = new WeakMap<Transaction, Published[]>();

  const deliver = async (all: readonly Published[]): Promise<void> => {
    for (const { topic, changed } of all)
      for (const receive of subscribers.get(topic) ?? []) await receive(changed as never);
  };

  return {
    publish: async (within, topic, changed) => {
      published.set(within, [...(published.get(within) ?? []), { topic, changed }]);
    },
    collect: (within) => {
      const all = published.get(within) ?? [];
      published.delete(within);
      return () => deliver(all);
    },
    subscribe: (topic, receive) => {
      const all = subscribers.get(topic) ?? new Set();
      // The same function may subscribe twice.
      const own: Receive = (changed) => receive(changed);
      subscribers.set(topic, all.add(own));
      return () => void all.delete(own);
    },
  };
};
