import { setTimeout as delay } from 'node:timers/promises';
import { realClock } from '../../src/async/clock.ts';
import { createInboxWork } from '../../src/autotranslate/inbox-work.ts';
import { createSilentWaits } from '../../test/fakes/outage-waits.ts';
import { createLateTargets } from '../../src/autotranslate/mirror/late-targets.ts';
import { createPartitionWorker } from '../../src/autotranslate/partition-worker.ts';
import { nothingFor } from '../../src/autotranslate/prepare/prepared.ts';
import { createScheduler } from '../../src/autotranslate/scheduler.ts';
import { createLog } from '../../src/telemetry/log.ts';
import { plainWords } from '../../src/rich-text/compose.ts';
import type { Message } from '../../src/model/message.ts';
import { createSlotOwner } from '../../src/cluster/slot-owner.ts';
import { createInboxStore } from '../../src/store/inbox/index.ts';
import { channelPartition, WATCH } from '../../src/store/inbox/row.ts';
import { openStore } from '../../src/store/index.ts';
import { SEPARATE_RELAXED } from '../../src/store/writer.ts';
import { makeMessages, nowMs, serve, type WorkerOptions } from './report.ts';

/** The inbox of the program, its slots, its scheduler and its workers, with a handler that only waits. */

const log = createLog('error');
const SPACE = { platform: 'bench', id: 's' };
/** Position of a message, in the order of its number. */
const WIDTH = 12;

const messageOf = (id: number, channel: number): Message => ({
  ref: { channel: { space: SPACE, id: `c${channel}` }, id: String(id) },
  position: String(id).padStart(WIDTH, '0'),
  author: { id: 'ada', name: 'Ada', kind: 'person' },
  text: plainWords(`Message number ${id}, as long as people write them in a channel.`),
  files: [],
  stickers: [],
});

serve(async (options: WorkerOptions) => {
  const committed: [number, number][] = [];
  const begun: [number, number][] = [];
  const store = await openStore(options.url, { log, connections: 4 });
  const inbox = createInboxStore({ store, now: Date.now });
  const slots = createSlotOwner({ leases: store.leases, log, clock: realClock });
  const work = createPartitionWorker({
    inbox,
    prepare: async (row) => {
      begun.push([Number(row.ref.id), nowMs()]);
      await delay(options.handlerMs);
      return nothingFor(row);
    },
    reconcile: async (batch) => {
      await store.write(async (db) => {
        for (const { row } of batch) await inbox.settle(db, row, { state: 'posted' });
      }, SEPARATE_RELAXED);
      return batch.length;
    },
    isOnHold: async () => false,
    ...createSilentWaits(),
    late: createLateTargets(inbox),
    notices: { failed: () => undefined, passed: () => undefined },
    log,
    now: Date.now,
    random: Math.random,
  });
  const scheduler = createScheduler({ slots, log, now: Date.now });
  scheduler.start(work);
  createInboxWork({
    slots,
    inbox,
    scheduler,
    readyPlatforms: () => [SPACE.platform],
    log,
    now: Date.now,
  });
  slots.start();

  return {
    run: () =>
      makeMessages(options, async (id, channel) => {
        const message = messageOf(id, channel);
        const partition = channelPartition(message.ref.channel);
        await inbox.accept({ message, purpose: WATCH, partition, writtenMs: id });
        committed.push([id, nowMs()]);
        scheduler.wake(partition);
      }),
    report: () => ({ committed, begun }),
  };
});
