import { describe, expect, it } from 'vitest';
import { quantile } from '../../../../bench/measure.ts';
import { createSharedPace } from '../../../../src/api/scheduler/shared-pace.ts';
import { createTestClock } from '../../../fakes/clock.ts';
import { createSharedStatesFake } from '../../../fakes/shared-states.ts';
import { measureFor, simulateProcesses, type Simulation } from './processes-simulation.ts';

const FIVE = { perSecond: 5, burst: 8 };
/** Time in which the rate is learnt. */
const LEARNT_MS = 60_000;

const flooded = async (limits = FIVE): Promise<Simulation> => {
  const simulation = simulateProcesses(3, limits);
  for (const { flood } of simulation.processes) flood('ambient');
  await simulation.clock.advance(LEARNT_MS);
  return simulation;
};

describe('three processes that use one key', () => {
  it.each([
    [1, 10_000, 0.05],
    [5, 1_000, 0.025],
    [20, 500, 0.025],
    [50, 500, 0.025],
  ])('keep its %i a second together, in equal parts', async (perSecond, longestMs, mostRefused) => {
    const simulation = await flooded({ perSecond, burst: 8 });
    const { processes, states } = simulation;
    for (const { done, chat } of processes) {
      done.length = 0;
      chat(5_000);
    }
    const changes = states.changes;
    const { used, refused, accepted } = await measureFor(simulation, 120_000);
    expect(used).toBeGreaterThanOrEqual(0.95);
    expect(refused).toBeLessThanOrEqual(mostRefused);
    for (const { done } of processes) expect(done.length).toBeGreaterThan(accepted / 3 / 1.4);
    const waits = processes.flatMap(({ done }) =>
      done.flatMap(({ job, tookMs }) => (job.lane === 'interactive' ? [tookMs] : [])),
    );
    expect(quantile(waits, 0.95)).toBeLessThan(longestMs);
    // The database is asked twice a second, however many requests there are.
    expect(states.changes - changes).toBeLessThan(3 * 120 * 3);
  });

  it('leave all of it to one within a second when the others rest', async () => {
    const simulation = await flooded({ perSecond: 20, burst: 8 });
    for (const { rest } of simulation.processes.slice(1)) rest();
    await simulation.clock.advance(1_000);
    const { used } = await measureFor(simulation, 10_000);
    expect(used).toBeGreaterThanOrEqual(0.9);
  });

  it('take the portion of one that was killed', async () => {
    const simulation = await flooded({ perSecond: 20, burst: 8 });
    for (const { kill } of simulation.processes.slice(1)) kill();
    await simulation.clock.advance(1_500);
    const { used } = await measureFor(simulation, 10_000);
    expect(used).toBeGreaterThanOrEqual(0.9);
  });

  it('go on with their portions while the database is away, and together afterwards', async () => {
    const simulation = await flooded();
    const { states } = simulation;
    states.isAway = true;
    const apart = await measureFor(simulation, LEARNT_MS);
    expect(apart.used).toBeGreaterThanOrEqual(0.85);
    expect(apart.refused).toBeLessThanOrEqual(0.1);
    states.isAway = false;
    await simulation.clock.advance(10_000);
    const together = await measureFor(simulation, LEARNT_MS);
    expect(together.used).toBeGreaterThanOrEqual(0.95);
    expect(together.refused).toBeLessThanOrEqual(0.02);
  });
});

/** Processes with a pace of the same name, and how often they were told to look again. */
const join = (count: number) => {
  const clock = createTestClock();
  const states = createSharedStatesFake(clock);
  const paces = Array.from({ length: count }, (_, index) => {
    const own = states.join();
    const deps = { name: 'x', by: String(index), clock, random: () => 0.5, changed: () => {} };
    const pace = createSharedPace({ states: own, ...deps });
    own.watch(pace.look);
    return pace;
  });
  return { clock, states, paces: paces as [(typeof paces)[0], (typeof paces)[0]] };
};

describe('a pace that processes share', () => {
  it('costs nothing while no limit is known', async () => {
    const { clock, states, paces } = join(2);
    await clock.advance(10);
    const changes = states.changes;
    for (let sent = 0; sent < 100; sent += 1) {
      expect(paces[0].waitMs(clock.nowMs())).toBe(0);
      paces[0].sent(clock.nowMs(), false);
      paces[0].accepted(clock.nowMs());
      await clock.advance(1);
    }
    expect(states.changes).toBe(changes);
    expect(states.texts.size).toBe(0);
  });

  it('makes all wait as the service told one, at once', async () => {
    const { clock, paces } = join(2);
    await clock.advance(10);
    const [one, other] = paces;
    one.sent(clock.nowMs(), false);
    one.refused(clock.nowMs(), clock.nowMs(), 7_000);
    await clock.advance(10);
    expect(other.waitMs(clock.nowMs())).toBeGreaterThan(6_900);
    expect(other.perSecond()).toBeDefined();
    // A process that starts now knows it as well.
    await clock.advance(6_980);
    expect(one.waitMs(clock.nowMs())).toBeLessThan(20);
  });

  it('has one request of an idle process sent without a wait for the database', async () => {
    const { clock, states, paces } = join(2);
    const [one, other] = paces;
    one.sent(clock.nowMs(), false);
    one.refused(clock.nowMs(), clock.nowMs(), 1_000);
    await clock.advance(5_000);
    expect(other.waitMs(clock.nowMs())).toBe(0);
    const before = states.texts.get('x');
    other.sent(clock.nowMs(), false);
    expect(other.waitMs(clock.nowMs())).toBeGreaterThan(0);
    await clock.advance(10);
    expect(states.texts.get('x')).not.toBe(before);
  });

  it('is lowered once by what two processes were refused at the same time', async () => {
    const { clock, states, paces } = join(2);
    await clock.advance(10);
    for (const pace of paces) {
      pace.sent(clock.nowMs(), false);
      pace.refused(clock.nowMs(), clock.nowMs(), 1_000);
    }
    await clock.advance(10);
    expect(JSON.parse(states.texts.get('x') ?? '{}')).toMatchObject({
      era: 1,
      pace: { empties: [{}] },
    });
  });

  it('is what one learnt while the database was away, where nobody knew more', async () => {
    const { clock, states, paces } = join(2);
    await clock.advance(10);
    const [one, other] = paces;
    states.isAway = true;
    one.sent(clock.nowMs(), false);
    one.refused(clock.nowMs(), clock.nowMs(), 4_000);
    await clock.advance(2_000);
    expect(one.waitMs(clock.nowMs())).toBeGreaterThan(1_900);
    expect(other.perSecond()).toBeUndefined();
    states.isAway = false;
    one.waits?.('ambient');
    await clock.advance(10);
    expect(other.waitMs(clock.nowMs())).toBeGreaterThan(1_900);
  });

  it('ends its wait as the service told it, also where the database is away meanwhile', async () => {
    const { clock, states, paces } = join(2);
    const [one] = paces;
    await clock.advance(10);
    one.sent(clock.nowMs(), false);
    one.refused(clock.nowMs(), clock.nowMs(), 120_000);
    await clock.advance(70_000);
    one.waits?.('ambient');
    await clock.advance(10);
    states.isAway = true;
    one.look();
    await clock.advance(2_000);
    expect(one.waitMs(clock.nowMs(), 0.25)).toBeGreaterThan(40_000);
    await clock.advance(70_000);
    expect(one.waitMs(clock.nowMs(), 0.25)).toBe(0);
  });

  it('is forgotten by all where a single refusal stood for nothing', async () => {
    const { clock, paces } = join(2);
    const [one, other] = paces;
    one.sent(clock.nowMs(), false);
    one.refused(clock.nowMs(), clock.nowMs(), 1_000);
    await clock.advance(400_000);
    for (const pace of [one, other]) {
      pace.waits?.('ambient');
      await clock.advance(10);
      expect(pace.waitMs(clock.nowMs(), 0.25)).toBe(0);
      expect(pace.perSecond()).toBeUndefined();
    }
  });
});
