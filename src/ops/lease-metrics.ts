import type { Leases, Tenure } from '../ports/leases.ts';
import type { Metrics } from './metrics.ts';

/** Takes what becomes of leases. */
export interface LeaseMetrics {
  /** Adds to the number of leases that this process holds; negative where it gave them up. */
  held(change: number): void;
  /** Notes a lease that ended before its holder gave it up. */
  lost(): void;
}

export const createLeaseMetrics = (metrics: Metrics): LeaseMetrics => {
  let held = 0;
  metrics.gauge(
    { name: 'dragoman_leases_held', help: 'Leases that this process holds.' },
    () => held,
  );
  const lost = metrics.counter({
    name: 'dragoman_leases_lost_total',
    help: 'Leases that ended before their holder gave them up.',
  });
  return {
    held: (change) => {
      held += change;
    },
    lost: () => lost(),
  };
};

/** Measures the leases of a port. */
export const measureLeases = (leases: Leases, metrics: LeaseMetrics): Leases => ({
  acquire: async (name, signal) => {
    const tenure: Tenure = await leases.acquire(name, signal);
    let isOver = false;
    metrics.held(1);
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      metrics.held(-1);
    };
    const aborted = (): void => {
      // Its holder may end it by the same signal.
      if (!isOver && !signal.aborted) metrics.lost();
      end();
    };
    tenure.signal.addEventListener('abort', aborted, { once: true });
    return {
      ...tenure,
      release: async () => {
        tenure.signal.removeEventListener('abort', aborted);
        end();
        await tenure.release();
      },
    };
  },
});
