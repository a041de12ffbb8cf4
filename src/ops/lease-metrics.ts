import type { Leases, Tenure, Work } from '../ports/processes.ts';
import type { Metrics } from './metrics.ts';

/** Takes what becomes of leases. */
export interface LeaseMetrics {
  /** Adds to the number of leases that this process holds; negative where it gave them up. */
  held(change: number): void;
  /** Notes a lease that ended before its holder gave it up. */
  lost(): void;
}

/** @param renewalMs what `Leases.renewalMs` gives; 0 where no leases are renewed */
export const createLeaseMetrics = (
  metrics: Metrics,
  renewalMs: () => number = () => 0,
): LeaseMetrics => {
  let held = 0;
  metrics.gauge(
    { name: 'dragoman_leases_held', help: 'Leases that this process holds.' },
    () => held,
  );
  metrics.gauge(
    {
      name: 'dragoman_lease_renewal_seconds',
      help: 'Time that the database took for the last renewal of leases, or has taken for the one under way.',
    },
    () => renewalMs() / 1_000,
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

/** Counts a tenure as held until it is given up, which the result does, or lost. */
const count = (metrics: LeaseMetrics, tenure: Tenure, own?: AbortSignal): (() => void) => {
  const over = new AbortController();
  metrics.held(1);
  const end = (): void => {
    if (over.signal.aborted) return;
    over.abort();
    metrics.held(-1);
  };
  const lost = (): void => {
    // Its holder may end it by the same signal.
    if (!(own?.aborted ?? false)) metrics.lost();
    end();
  };
  tenure.signal.addEventListener('abort', lost, { once: true, signal: over.signal });
  return end;
};

/** Measures the leases of a port. */
export const measureLeases = (leases: Leases, metrics: LeaseMetrics): Leases => ({
  acquire: async (name, signal) => {
    const tenure = await leases.acquire(name, signal);
    const end = count(metrics, tenure, signal);
    return {
      ...tenure,
      release: async () => {
        end();
        await tenure.release();
      },
    };
  },
  isAnyHeld: (set) => leases.isAnyHeld(set),
  share: (set, size, begin, options) => {
    const measured = (tenure: Tenure): Work => {
      const end = count(metrics, tenure);
      const work = begin(tenure);
      return {
        hear: (message) => work.hear(message),
        [Symbol.asyncDispose]: async () => {
          end();
          await work[Symbol.asyncDispose]();
        },
      };
    };
    return leases.share(set, size, measured, options);
  },
  tell: (name, message) => leases.tell(name, message),
  ...(leases.renewalMs ? { renewalMs: leases.renewalMs } : {}),
});
