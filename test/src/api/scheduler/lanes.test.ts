import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createLanes, PASSED_OVER, type Waiting } from '../../../../src/api/scheduler/lanes.ts';
import { LANES } from '../../../../src/model/service.ts';

interface Job extends Waiting {
  readonly id: number;
}

const anyJobs = fc.array(
  fc.record({ lane: fc.constantFrom(...LANES), space: fc.constantFrom('a', 'b', 'c', 'd') }),
  { maxLength: 200 },
);

/** Takes everything out, in its order. */
const drain = (jobs: readonly Job[]): Job[] => {
  const lanes = createLanes<Job>();
  for (const job of jobs) lanes.add(job);
  const taken: Job[] = [];
  for (let job = lanes.next(() => true); job; job = lanes.next(() => true)) {
    lanes.take(job);
    taken.push(job);
  }
  return taken;
};

const withIds = (jobs: readonly Waiting[]): Job[] => jobs.map((job, id) => ({ ...job, id }));

describe('lanes', () => {
  it('lose nothing, and keep the order of a space', () => {
    const property = fc.property(anyJobs, (given) => {
      const jobs = withIds(given);
      const taken = drain(jobs);
      expect(new Set(taken)).toEqual(new Set(jobs));
      expect(taken).toHaveLength(jobs.length);
      for (const lane of LANES)
        for (const space of ['a', 'b', 'c', 'd']) {
          const of = taken.filter((job) => job.lane === lane && job.space === space);
          expect(of.map(({ id }) => id)).toEqual(of.map(({ id }) => id).toSorted((a, b) => a - b));
        }
    });
    fc.assert(property);
  });

  it('serve spaces in turn: none is more than one request ahead of another that waits', () => {
    const property = fc.property(anyJobs, (given) => {
      const jobs = withIds(given.map((job) => ({ ...job, lane: 'ambient' })));
      const left = new Map<string, number>();
      for (const { space } of jobs) left.set(space, (left.get(space) ?? 0) + 1);
      const had = new Map<string, number>();
      for (const { space } of drain(jobs)) {
        for (const [other, count] of left)
          if (count > 0) expect((had.get(space) ?? 0) - (had.get(other) ?? 0)).toBeLessThan(1);
        had.set(space, (had.get(space) ?? 0) + 1);
        left.set(space, left.get(space)! - 1);
      }
    });
    fc.assert(property);
  });

  it('pass none over for ever', () => {
    const property = fc.property(anyJobs, (given) => {
      const taken = drain(withIds(given));
      for (const [at, lane] of LANES.entries()) {
        let passedOver = 0;
        for (const job of taken.slice(0, taken.findLastIndex((one) => one.lane === lane) + 1)) {
          passedOver = LANES.indexOf(job.lane) < at ? passedOver + 1 : passedOver;
          if (job.lane === lane) passedOver = 0;
          // Several lanes may be due at the same time.
          expect(passedOver).toBeLessThanOrEqual(PASSED_OVER + LANES.length);
        }
      }
    });
    fc.assert(property);
  });

  it('tell how many go before a new job', () => {
    const lanes = createLanes<Job>();
    for (const [id, space] of ['a', 'a', 'a', 'b'].entries())
      lanes.add({ lane: 'ambient', space, id });
    lanes.add({ lane: 'live', space: 'a', id: 9 });
    expect(lanes.ahead({ lane: 'live', space: 'c' })).toBe(1);
    expect(lanes.ahead({ lane: 'ambient', space: 'c' })).toBe(3);
    expect(lanes.ahead({ lane: 'ambient', space: 'a' })).toBe(5);
  });

  it('put what is sent again before the others of its space', () => {
    const lanes = createLanes<Job>();
    const [first, second] = withIds([
      { lane: 'live', space: 'a' },
      { lane: 'live', space: 'a' },
    ]) as [Job, Job];
    lanes.add(second);
    lanes.add(first, true);
    expect(lanes.next(() => true)).toBe(first);
  });
});
