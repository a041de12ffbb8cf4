import type { MessageRef } from '../model/place.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import { watchPartition } from '../store/inbox/row.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { TranslationContext } from './prepare/context.ts';
import type { Scheduler } from './scheduler.ts';

export interface DeletedMessagesDeps {
  readonly slots: Pick<SlotOwner, 'serve' | 'tenureOf' | 'tell'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly scheduler: Pick<Scheduler, 'interrupt'>;
  readonly context: Pick<TranslationContext, 'forget'>;
}

/** Name of the messages to the process that works on a channel. */
const DELETED = 'deleted';

/**
 * Creates the function that ends the work on a deleted message and drops its words from memory, also in the process that
 * works on its channel.
 */
export const createDeletedMessages = ({
  slots,
  watches,
  scheduler,
  context,
}: DeletedMessagesDeps): ((ref: MessageRef) => void) => {
  const drop = (ref: MessageRef): void => {
    scheduler.interrupt(ref);
    context.forget(ref);
  };
  slots.serve(DELETED, {
    takeOver: async () => undefined,
    begin: () => undefined,
    end: async () => undefined,
    told: (message) => drop(JSON.parse(message) as MessageRef),
  });
  return (ref) => {
    drop(ref);
    const watch = watches.of(ref.channel);
    const partition = watch && watchPartition(watch);
    if (partition !== undefined && !slots.tenureOf(partition))
      slots.tell(DELETED, partition, JSON.stringify(ref));
  };
};
