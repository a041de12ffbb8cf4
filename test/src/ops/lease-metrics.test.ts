import { describe, expect, it } from 'vitest';
import { measureLeases } from '../../../src/ops/lease-metrics.ts';
import { createMetrics } from '../../../src/ops/metrics.ts';
import type { Leases } from '../../../src/ports/processes.ts';

const start = (more: Partial<Leases> = {}) => {
  const metrics = createMetrics();
  const lost = new AbortController();
  const kept: (number | undefined)[] = [];
  const given: Leases = {
    acquire: async (name, signal) => ({
      name,
      epoch: 1,
      signal: AbortSignal.any([signal, lost.signal]),
      isHeld: () => true,
      assertHeld: () => undefined,
      release: async () => undefined,
    }),
    share: (set, size, begin, options) => {
      kept.push(options?.keptMs);
      const { signal } = new AbortController();
      const tenure = {
        name: `${set}:${size - 1}`,
        epoch: 1,
        signal: AbortSignal.any([signal, lost.signal]),
        isHeld: () => true,
        assertHeld: () => undefined,
        release: async () => undefined,
      };
      return { ...begin(tenure), stopClaiming: () => undefined };
    },
    tell: () => undefined,
    isAnyHeld: async () => false,
    ...more,
  };
  const counts = async () => {
    const text = await metrics.text();
    return ['held', 'lost_total'].map((name) =>
      Number(new RegExp(`^dragoman_leases_${name} (.+)$`, 'm').exec(text)?.[1]),
    );
  };
  return { leases: measureLeases(given, metrics), metrics, lost, counts, kept };
};

describe('the metrics of leases', () => {
  it('count those that are held, each once', async () => {
    const { leases, counts } = start();
    const { signal } = new AbortController();
    const [one] = [await leases.acquire('a', signal), await leases.acquire('b', signal)];
    expect(await counts()).toEqual([2, 0]);
    await one.release();
    await one.release();
    expect(await counts()).toEqual([1, 0]);
  });

  it('count those that were lost', async () => {
    const { leases, lost, counts } = start();
    const tenure = await leases.acquire('a', new AbortController().signal);
    lost.abort();
    expect(await counts()).toEqual([0, 1]);
    await tenure.release();
    expect(await counts()).toEqual([0, 1]);
  });

  it('count those of a set that is shared', async () => {
    const { leases, lost, counts, kept } = start();
    const work = { hear: () => undefined, [Symbol.asyncDispose]: async () => undefined };
    const [given] = [
      leases.share('set', 1, () => work),
      leases.share('other', 1, () => work, { keptMs: 5 }),
    ];
    expect(await counts()).toEqual([2, 0]);
    expect(kept).toEqual([undefined, 5]);
    await given[Symbol.asyncDispose]();
    expect(await counts()).toEqual([1, 0]);
    lost.abort();
    expect(await counts()).toEqual([0, 1]);
  });

  it('say how long a renewal takes', async () => {
    const { metrics } = start({ renewalMs: () => 2_000 });
    expect(await metrics.text()).toMatch(/^dragoman_lease_renewal_seconds 2$/m);
  });

  it('count none as lost that its holder ends', async () => {
    const { leases, lost, counts } = start();
    const stopped = new AbortController();
    await leases.acquire('a', stopped.signal);
    const released = await leases.acquire('b', new AbortController().signal);
    stopped.abort();
    await released.release();
    lost.abort();
    expect(await counts()).toEqual([0, 0]);
  });
});
