import { describe, expect, it } from 'vitest';
import { createRequestScheduler } from '../../../../src/api/scheduler/scheduler.ts';
import { quantile } from '../../../../bench/measure.ts';
import { createRandom } from '../../../fakes/random.ts';
import { simulate, mixedJobs, type SimulatedService } from './simulation.ts';

const run = async (limits: SimulatedService) => {
  const random = createRandom(1);
  const jobs = mixedJobs(random);
  const { done, service, allowed } = await simulate(jobs, limits, (clock) =>
    createRequestScheduler({ clock, random }),
  );
  const waits = done
    .filter(({ job }) => job.lane === 'interactive')
    .map(({ tookMs }) => tookMs - (limits.serviceMs ?? 0));
  return {
    jobs,
    done,
    used: service.accepted / allowed,
    refused: service.refused / (service.accepted + service.refused),
    p95Ms: quantile(waits, 0.95),
  };
};

describe('2,000 ambient jobs of 20 spaces and 200 interactive ones, at 5 a second, burst 8', () => {
  it.each([
    ['exactly', 20],
    ['in whole seconds', 20],
    ['not at all', 20],
    ['exactly', 1_000],
  ] as const)(
    'use what is allowed with few refusals, where the wait is told %s and an answer takes %i ms',
    async (telling, serviceMs) => {
      const limits = { perSecond: 5, burst: 8, telling, serviceMs };
      const { jobs, done, used, refused, p95Ms } = await run(limits);
      expect(used).toBeGreaterThanOrEqual(0.95);
      expect(refused).toBeLessThanOrEqual(0.02);
      expect(p95Ms).toBeLessThanOrEqual(2_000);
      // None lost and none twice.
      expect(done).toHaveLength(jobs.length);
      expect(new Set(done.map(({ job }) => job))).toEqual(new Set(jobs));
    },
  );
});
