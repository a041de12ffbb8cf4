import type { Leases, Tenure, Work } from '../ports/processes.ts';
import type { Metrics } from './metrics.ts';

/** Measures the leases of a port. */
export const measureLeases = (leases: Leases, metrics: Metrics): Leases => {
  const { renewalMs } = leases;
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
    () => (renewalMs?.() ?? 0) / 1_000,
  );
  const lost = metrics.counter({
    name: 'dragoman_leases_lost_total',
    help: 'Leases that ended before their holder gave them up.',
  });

  /** Counts a tenure as held until it is given up, which the result does, or lost. */
  const count = (tenure: Tenure, own?: AbortSignal): (() => void) => {
    const over = new AbortController();
    held += 1;
    const end = (): void => {
      if (over.signal.aborted) return;
      over.abort();
      held -= 1;
    };
    const lose = (): void => {
      // Its holder may end it by the same signal.
      if (!(own?.aborted ?? false)) lost();
      end();
    };
    tenure.signal.addEventListener('abort', lose, { once: true, signal: over.signal });
    return end;
  };

  return {
    ...leases,
    acquire: async (name, signal) => {
      const tenure = await leases.acquire(name, signal);
      const end = count(tenure, signal);
      return {
        ...tenure,
        release: async () => {
          end();
          await tenure.release();
        },
      };
    },
    share: (set, size, begin, options) => {
      const measured = (tenure: Tenure): Work => {
        const end = count(tenure);
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
  };
};
