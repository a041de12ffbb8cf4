import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { createReadiness } from '../../../src/ops/readiness.ts';
import { createTestClock } from '../../fakes/clock.ts';

/** A program with a store that is as the test says. */
const start = (
  look: () => Promise<boolean>,
  platforms: Record<string, boolean> = { discord: true },
) => {
  const clock = createTestClock();
  const metrics = createMetrics();
  const draining = new AbortController();
  let looks = 0;
  let isStarting = false;
  const readiness = createReadiness({
    platforms: () => platforms,
    look: {
      storage: () => {
        looks += 1;
        return look();
      },
    },
    isStarting: () => isStarting,
    draining: draining.signal,
    clock,
    metrics,
  });
  const setStarting = (starting: boolean): void => void (isStarting = starting);
  return { clock, metrics, draining, readiness, platforms, setStarting, looks: () => looks };
};

describe('readiness', () => {
  it('ends with the last platform that people can use, and reports all of them', async () => {
    const { readiness, platforms } = start(async () => true, { discord: true, slack: true });
    expect(await readiness()).toEqual({
      ready: true,
      starting: false,
      draining: false,
      parts: { discord: true, slack: true, storage: true },
    });
    platforms['slack'] = false;
    expect(await readiness()).toMatchObject({ ready: true, parts: { slack: false } });
    platforms['discord'] = false;
    expect(await readiness()).toMatchObject({ ready: false, parts: { discord: false } });
  });

  it('needs the database, and no platform where none is on', async () => {
    let isThere = true;
    const { readiness, clock } = start(async () => isThere, {});
    expect(await readiness()).toMatchObject({ ready: true });
    isThere = false;
    await clock.advance(5_000);
    expect(await readiness()).toMatchObject({ ready: false, parts: { storage: false } });
  });

  it('begins once all have started, whether some platform could be used before or not', async () => {
    const { readiness, setStarting } = start(async () => true);
    setStarting(true);
    expect(await readiness()).toMatchObject({ ready: false, starting: true });
    setStarting(false);
    expect(await readiness()).toMatchObject({ ready: true, starting: false });
  });

  it('is there without a part that is only reported', async () => {
    const readiness = createReadiness({
      platforms: () => ({ discord: true }),
      look: { storage: async () => true },
      reportedOnly: { service: async () => false },
      isStarting: () => false,
      clock: createTestClock(),
      metrics: createMetrics(),
    });
    expect(await readiness()).toEqual({
      ready: true,
      starting: false,
      draining: false,
      parts: { discord: true, service: false, storage: true },
    });
  });

  it('ends as soon as the program stops', async () => {
    const { readiness, draining } = start(async () => true);
    draining.abort();
    expect(await readiness()).toEqual({
      ready: false,
      starting: false,
      draining: true,
      parts: { discord: true, storage: true },
    });
  });

  it('takes a part that cannot be looked at for one that is not there', async () => {
    const { readiness } = start(async () => Promise.reject(new Error('away')));
    expect((await readiness()).parts).toMatchObject({ storage: false });
  });

  it('looks at a part every five seconds, however often it is asked', async () => {
    const { readiness, clock, looks } = start(async () => true);
    for (let asked = 0; asked < 50; asked += 1) await readiness();
    expect(looks()).toBe(1);
    await clock.advance(5_000);
    await readiness();
    expect(looks()).toBe(2);
    expect(clock.waiting).toBe(0);
  });

  it('waits a second for a part; until it answers, its former answer counts for a while', async () => {
    let answer = async (): Promise<boolean> => true;
    const { readiness, clock, looks } = start(() => answer());
    const told = async () => {
      const answered = readiness();
      await clock.advance(1_000);
      return (await answered).parts['storage'];
    };
    expect(await told()).toBe(true);
    answer = () => new Promise(() => undefined);
    await clock.advance(5_000);
    expect(await told()).toBe(true);
    await clock.advance(10_000);
    expect(await told()).toBe(false);
    expect(looks()).toBe(2);
  });

  it('takes a part that has not answered yet for one that is not there', async () => {
    const { readiness, clock } = start(() => new Promise(() => undefined));
    const answered = readiness();
    await clock.advance(1_000);
    expect((await answered).parts).toMatchObject({ storage: false });
  });

  it('is a metric, too', async () => {
    const { metrics } = start(async () => false);
    const lines = (await metrics.text()).split('\n');
    expect(lines).toContain('dragoman_part_ready{part="discord"} 1');
    expect(lines).toContain('dragoman_part_ready{part="storage"} 0');
  });
});
