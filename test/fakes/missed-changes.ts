import type { Transaction } from 'kysely';
import type { SignalTopic } from '../../src/ports/store.ts';
import type { Store } from '../../src/store/index.ts';
import type { LocalSignals } from '../../src/store/writer.ts';
import type { Schema } from '../../src/store/schema.ts';

/** Tells a process that it may have missed changes of a topic, as it is told after its connection was lost. */
export const tellOfMissed = async (store: Store, topic: SignalTopic): Promise<void> =>
  (store.signals as LocalSignals<Transaction<Schema>>).deliver(topic, undefined);

/** Has a process miss what others change from now on, and know that it may. */
export const missAll = (store: Store): void => {
  Object.assign(store.signals, {
    isCurrent: () => false,
    publish: async () => undefined,
  });
};

/** Stores that somebody opted out in another process, of which this one hears nothing. */
export const optOutElsewhere = async (
  store: Store,
  platform: string,
  memberId: string,
): Promise<void> => {
  await store.write((db) =>
    db
      .insertInto('member_setting')
      .values({ platform, member_id: memberId, space_id: null, opted_out: 1 })
      .execute(),
  );
};
