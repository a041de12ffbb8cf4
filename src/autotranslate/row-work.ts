import type { Texts } from '../i18n/texts.ts';
import { isGroup } from '../store/inbox/row.ts';
import type { Log } from '../telemetry/log.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import type { MessageMetrics } from './metrics.ts';
import { createReconcile } from './mirror/reconcile.ts';
import { createOutages, type OutagesDeps } from './outage.ts';
import { createPartitionWorker } from './partition-worker.ts';
import type { TranslationContext } from './prepare/context.ts';
import { createPlaces } from './prepare/places.ts';
import { createPrepare, type PrepareDeps } from './prepare/prepare.ts';
import { createProgress } from './prepare/progress.ts';
import { ASIDE, waitMs } from './row-backoff.ts';
import type { Scheduler } from './scheduler.ts';
import type { Stores } from './stores.ts';
import { traceWork } from './traced-work.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface RowWorkDeps {
  readonly stores: Pick<Stores, 'store' | 'inbox' | 'stored' | 'threads' | 'watches'>;
  readonly services: PrepareDeps['services'] & Pick<OutagesDeps, 'serviceKeyOf'>;
  readonly texts: Pick<Texts, 'rich'>;
  readonly telemetry: { readonly log: Log; readonly tracing: Tracing };
  readonly times: {
    readonly now: () => number;
    readonly nowMs: () => number;
    readonly random: () => number;
  };
  readonly platforms: WatchedPlatforms;
  readonly context: TranslationContext;
  readonly measured: MessageMetrics;
  readonly scheduler: Scheduler;
  /** True while some process holds a partition of linked channels. */
  readonly isOnHold: (partition: string) => Promise<boolean>;
}

/** Starts the work on rows of the inbox: they are prepared, their mirrors reconciled, and then settled. */
export const startRowWork = ({
  stores: { store, inbox, stored, threads, watches },
  services,
  texts,
  telemetry: { log, tracing },
  times: { now, nowMs, random },
  platforms,
  context,
  measured,
  scheduler,
  isOnHold,
}: RowWorkDeps) => {
  const { serviceKeyOf, translator, languages } = services;
  const outages = createOutages({ serviceKeyOf, translator, log, nowMs });
  const preparing = createPrepare({
    services,
    watches,
    places: createPlaces({ watches, threads, platforms, languages }),
    platforms,
    stored,
    texts,
    context,
    outages,
    progressOf: (row, tenure, signal, line) => {
      const { mirrors } = platforms.of(row.ref.channel);
      return createProgress({ mirrors, stored, store, log, now }, row, tenure, signal, line);
    },
  });
  const reconcile = createReconcile({
    measured,
    inbox,
    stored,
    store,
    platforms,
    privacy: services.privacy,
    log,
    now,
    waitMs: (attempts, fault) => waitMs(ASIDE, attempts, fault, random),
    wakeAt: (partition, atMs) => scheduler.wakeAt(partition, { atMs, isStored: true }),
    isWanted: preparing.isWanted,
  });
  scheduler.start(
    createPartitionWorker({
      inbox,
      ...traceWork(tracing, { prepare: preparing.prepare, reconcile }),
      isOnHold: async (partition) =>
        scheduler.isOnHold(partition) || (isGroup(partition) && isOnHold(partition)),
      log,
      now,
      random,
    }),
  );
  return { preparing, outages };
};
