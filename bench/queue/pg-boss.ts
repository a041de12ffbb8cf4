import { setTimeout as delay } from 'node:timers/promises';
import { PgBoss } from 'pg-boss';
import { makeMessages, nowMs, serve, type WorkerOptions } from './report.ts';

/** The same work with pg-boss: a job a message, in the order of its channel by a key that one job has at a time. */

const QUEUE = 'messages';
/** Jobs that are handled at once, as many as the program's partitions at the load of this benchmark need. */
const AT_ONCE = 64;

interface Job {
  readonly id: number;
  readonly text: string;
}

serve(async (options: WorkerOptions) => {
  const committed: [number, number][] = [];
  const begun: [number, number][] = [];
  const boss = new PgBoss({ connectionString: options.url, max: 8, useListenNotify: true });
  boss.on('error', (error) => console.error(error));
  await boss.start();
  await boss.createQueue(QUEUE, { policy: 'key_strict_fifo', notify: true });
  await boss.work<Job>(
    QUEUE,
    { batchSize: 1, localConcurrency: AT_ONCE, pollingIntervalSeconds: 0.5 },
    async ([job]) => {
      if (!job) return;
      begun.push([job.data.id, nowMs()]);
      await delay(options.handlerMs);
    },
  );

  return {
    run: () =>
      makeMessages(options, async (id, channel) => {
        const text = `Message number ${id}, as long as people write them in a channel.`;
        await boss.send(QUEUE, { id, text }, { singletonKey: `c${channel}` });
        committed.push([id, nowMs()]);
      }),
    report: () => ({ committed, begun }),
  };
});
