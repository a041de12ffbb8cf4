import { createCachedLook } from '../async/lru.ts';
import type { Metrics } from '../ops/metrics.ts';
import type { Store } from '../store/index.ts';
import type { Outcome } from '../store/inbox/row.ts';
import { waitingWork } from '../store/inbox/backlog.ts';

const MS = 1_000;
/** Time for which a look at the inbox counts. */
const LOOK_KEPT_MS = 5_000;
/** Upper bounds in seconds: from a translation at once to one after an outage. */
const BUCKETS = [0.25, 0.5, 1, 1.5, 2, 3, 5, 10, 20, 30, 60, 120, 300, 900, 3_600];

/** Takes what becomes of messages in channels with auto-translate. */
export interface MessageMetrics {
  /** @param sinceMs time since which the message had no outcome, ms since 1970 */
  readonly settled: (platform: string, state: Outcome['state'], sinceMs: number) => void;
}

export interface MessageMetricsDeps {
  readonly metrics: Metrics;
  readonly store: Store;
  readonly now: () => number;
}

export const declareMessageMetrics = (deps: MessageMetricsDeps): MessageMetrics => {
  const { metrics, store, now } = deps;
  const look = createCachedLook(() => waitingWork(store), LOOK_KEPT_MS, { nowMs: now });
  metrics.gauge(
    {
      name: 'dragoman_inbox_waiting_messages',
      help: 'Messages in the database that wait for an outcome, up to 5000.',
    },
    async () => (await look()).count,
  );
  metrics.gauge(
    {
      name: 'dragoman_inbox_oldest_waiting_seconds',
      help: 'Age of the message in the database that has waited longest for an outcome.',
    },
    async () => {
      const { oldestMs } = await look();
      return oldestMs === undefined ? 0 : Math.max(0, now() - oldestMs) / MS;
    },
  );
  const outcomes = metrics.counter({
    name: 'dragoman_messages_total',
    help: 'Messages that have an outcome: posted, skipped or dead.',
    labels: ['platform', 'outcome'],
  });
  const eventToPost = metrics.histogram({
    name: 'dragoman_event_to_post_seconds',
    help: 'Time from the event of a message to the end of its posts.',
    labels: ['platform'],
    buckets: BUCKETS,
  });
  return {
    settled: (platform, state, sinceMs) => {
      outcomes({ platform, outcome: state });
      if (state === 'posted') eventToPost(Math.max(0, now() - sinceMs) / MS, { platform });
    },
  };
};
