import type { SlotOwner } from '../cluster/slot-owner.ts';
import type { MessageRef } from '../model/place.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import { watchPartition, type Accepted, type Arrival } from '../store/inbox/row.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { MessageMetrics } from './metrics.ts';
import type { TranslationContext } from './prepare/context.ts';
import type { Scheduler } from './scheduler.ts';
import { startAccept } from './traces.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface InboxWriterDeps {
  readonly inbox: Pick<InboxStore, 'accept' | 'markDeleted'>;
  readonly scheduler: Pick<Scheduler, 'wake' | 'interrupt'>;
  readonly slots: Pick<SlotOwner, 'serve' | 'tenureOf' | 'tell'>;
  readonly watches: Pick<WatchStore, 'of'>;
  readonly context: Pick<TranslationContext, 'forget'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly measured: MessageMetrics;
  readonly tracing: Tracing;
  readonly now: () => number;
}

/** Name of the notices of deleted messages to the process that works on their channel. */
const DELETED = 'deleted';

export type InboxWriter = ReturnType<typeof createInboxWriter>;

/** Creates the functions that write messages and deletions to the inbox, and wake or end the work on them. */
export const createInboxWriter = ({
  inbox,
  scheduler,
  slots,
  watches,
  context,
  platforms,
  measured,
  tracing,
  now,
}: InboxWriterDeps) => {
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
  /** Ends the work on a deleted message and drops its words from memory, also in the process that works on its channel. */
  const dropEverywhere = (ref: MessageRef): void => {
    drop(ref);
    const watch = watches.of(ref.channel);
    const partition = watch && watchPartition(watch);
    if (partition !== undefined && !slots.tenureOf(partition))
      slots.tell(DELETED, partition, JSON.stringify(ref));
  };

  return {
    accept: async (arrival: Omit<Arrival, 'writtenMs'>): Promise<Accepted> => {
      const { ref, position } = arrival.message;
      const writtenMs = platforms.of(ref.channel).feed.timeOf(position);
      const accepted = startAccept(tracing, { ref, purpose: arrival.purpose });
      const { was, partition } = await inbox.accept({ ...arrival, writtenMs });
      accepted(was);
      if (was === 'new' && arrival.skip !== undefined)
        measured.settled(ref.channel.space.platform, 'skipped', now());
      if (was === 'changed') scheduler.interrupt(ref);
      if (was === 'changed' || (was === 'new' && arrival.skip === undefined))
        scheduler.wake(partition);
      return was;
    },
    markDeleted: async (
      refs: readonly MessageRef[],
      options: Parameters<InboxStore['markDeleted']>[1] = {},
    ): Promise<void> => {
      for (const ref of refs) {
        if (options.purpose === undefined) dropEverywhere(ref);
        else scheduler.interrupt(ref);
      }
      for (const partition of await inbox.markDeleted(refs, options)) scheduler.wake(partition);
    },
  };
};
