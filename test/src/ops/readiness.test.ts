import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../../src/ops/metrics.ts';
import { createReadiness } from '../../../src/ops/readiness.ts';
import { createTestClock } from '../../fakes/clock.ts';

/** A program with a store that is as the test says. */
const start = (look: () => Promise<boolean>, platforms = { discord: true }) => {
  const clock = createTestClock();
  const metrics = createMetrics();
  const draining = new AbortController();
  let looks = 0;
  const readiness = createReadiness({
    platforms: () => platforms,
    look: {
      storage: () => {
        looks += 1;
        return look();
      },
    },
    draining: draining.signal,
    clock,
    metrics,
  });
  return { clock, metrics, draining, readiness, platforms, looks: () => looks };
};

describe('readiness', () => {
  it('is that of all parts', async () => {
    const { readiness, platforms } = start(async () => true);
    expect(await readiness()).toEqual({
      ready: true,
      draining: false,
      parts: { discord: true, storage: true },
    });
    platforms.discord = false;
    expect(await readiness()).toMatchObject({ ready: false, parts: { discord: false } });
  });

  it('ends as soon as the program stops', async () => {
    const { readiness, draining } = start(async () => true);
    draining.abort();
    expect(await readiness()).toEqual({
      ready: false,
      draining: true,
      parts: { discord: true, storage: true },
    });
  });

  it('takes a part that cannot be looked at for one that is not there', async () => {
    const { readiness } = start(async () => Promise.reject(new Error('away')));
    expect((await readiness()).parts).toMatchObject({ storage: false });
  });

  it('looks at a part every two seconds, however often it is asked', async () => {
    const { readiness, clock, looks } = start(async () => true);
    for (let asked = 0; asked < 50; asked += 1) await readiness();
    expect(looks()).toBe(1);
    await clock.advance(2_000);
    await readiness();
    expect(looks()).toBe(2);
    expect(clock.waiting).toBe(0);
  });

  it('waits no longer than a probe for a store that hangs, and asks it once', async () => {
    const { readiness, clock, looks } = start(() => new Promise(() => undefined));
    for (let probe = 1; probe <= 3; probe += 1) {
      const answered = readiness();
      await clock.advance(2_500);
      expect((await answered).parts).toMatchObject({ storage: false });
    }
    expect(looks()).toBe(1);
  });

  it('is a metric, too', async () => {
    const { metrics } = start(async () => false);
    const lines = (await metrics.text()).split('\n');
    expect(lines).toContain('dragoman_part_ready{part="discord"} 1');
    expect(lines).toContain('dragoman_part_ready{part="storage"} 0');
  });
});
