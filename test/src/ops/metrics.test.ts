import { beforeEach, describe, expect, it } from 'vitest';
import { createTestClock } from '../../fakes/clock.ts';
import { createMetrics, type Metrics, measureLeases } from '../../../src/ops/metrics.ts';
import type { Leases } from '../../../src/ports/processes.ts';

let metrics: Metrics;
beforeEach(() => {
  metrics = createMetrics();
});

const lines = async (): Promise<string[]> => (await metrics.text()).split('\n');

describe('the metrics', () => {
  it('count, with labels and without', async () => {
    const plain = metrics.counter({ name: 'dragoman_a_total', help: 'A.' });
    plain();
    plain(2);
    const labels = ['kind'] as const;
    metrics.counter({ name: 'dragoman_b_total', help: 'B.', labels })({ kind: 'x' });
    expect(await lines()).toEqual(
      expect.arrayContaining(['dragoman_a_total 3', 'dragoman_b_total{kind="x"} 1']),
    );
  });

  it('sort measurements into the buckets that were declared', async () => {
    const buckets = [1, 5];
    const observe = metrics.histogram({ name: 'dragoman_wait_seconds', help: 'W.', buckets });
    observe(0.5);
    observe(7);
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'dragoman_wait_seconds_bucket{le="1"} 1',
        'dragoman_wait_seconds_bucket{le="+Inf"} 2',
        'dragoman_wait_seconds_sum 7.5',
      ]),
    );
  });

  it('read a gauge when they are asked for', async () => {
    let value = 1;
    metrics.gauge({ name: 'dragoman_g', help: 'G.' }, () => value);
    expect(await lines()).toContain('dragoman_g 1');
    value = 2;
    expect(await lines()).toContain('dragoman_g 2');
  });

  it('forget a label of a gauge that is not read again', async () => {
    let parts = ['a', 'b'];
    metrics.gauge({ name: 'dragoman_g', help: 'G.', labels: ['part'] }, async () =>
      parts.map((part) => ({ labels: { part }, value: 1 })),
    );
    expect(await lines()).toContain('dragoman_g{part="b"} 1');
    parts = ['a'];
    expect((await lines()).filter((line) => line.startsWith('dragoman_g'))).toEqual([
      'dragoman_g{part="a"} 1',
    ]);
  });

  it.each([
    ['rejects', async () => Promise.reject(new Error('away'))],
    [
      'throws',
      () => {
        throw new Error('away');
      },
    ],
    ['is not known', () => undefined],
  ])('leave out a gauge that %s, and nothing else', async (_, read) => {
    metrics.gauge({ name: 'dragoman_g', help: 'G.' }, read);
    metrics.counter({ name: 'dragoman_a_total', help: 'A.' })();
    const all = await lines();
    expect(all).toContain('dragoman_a_total 1');
    expect(all.filter((line) => line.startsWith('dragoman_g'))).toEqual([]);
  });

  it('wait two seconds for a gauge that hangs, and leave it out', async () => {
    const clock = createTestClock();
    metrics = createMetrics(clock);
    metrics.gauge({ name: 'dragoman_g', help: 'G.' }, () => new Promise(() => undefined));
    metrics.counter({ name: 'dragoman_a_total', help: 'A.' })();
    const asked = lines();
    await clock.advance(2_000);
    const all = await asked;
    expect(all).toContain('dragoman_a_total 1');
    expect(all.filter((line) => line.startsWith('dragoman_g'))).toEqual([]);
    expect(clock.waiting).toBe(0);
  });

  it('count together what two owners declare with one name', async () => {
    const definition = { name: 'dragoman_a_total', help: 'A.', labels: ['platform'] } as const;
    metrics.counter(definition)({ platform: 'one' });
    metrics.counter(definition)({ platform: 'other' });
    expect(await lines()).toEqual(
      expect.arrayContaining([
        'dragoman_a_total{platform="one"} 1',
        'dragoman_a_total{platform="other"} 1',
      ]),
    );
    expect((await lines()).filter((line) => line.startsWith('# TYPE'))).toHaveLength(1);
  });

  it('repeat a total that is counted elsewhere', async () => {
    metrics.total({ name: 'dragoman_t_total', help: 'T.' }, () => 4.5);
    await lines();
    expect(await lines()).toContain('dragoman_t_total 4.5');
  });

  it('let other work run between two of them', async () => {
    for (const name of ['a', 'b', 'c', 'd'])
      metrics.counter({ name: `dragoman_${name}_total`, help: 'C.' })();
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      immediate = setImmediate(turn);
    };
    let immediate = setImmediate(turn);
    const text = await metrics.text();
    clearImmediate(immediate);
    expect(turns).toBeGreaterThanOrEqual(3);
    expect(text).toMatch(/^# HELP [^\0]*[^\n]\n$/);
    expect(text.match(/\n\n# HELP/g)).toHaveLength(3);
  });

  it('of two programs in one process are apart', async () => {
    createMetrics().counter({ name: 'dragoman_a_total', help: 'A.' })();
    expect(await metrics.text()).not.toContain('dragoman_a_total');
  });
});

const start = (more: Partial<Leases> = {}) => {
  const registry = createMetrics();
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
      kept.push(options?.holdMs);
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
    const text = await registry.text();
    return ['held', 'lost_total'].map((name) =>
      Number(new RegExp(`^dragoman_leases_${name} (.+)$`, 'm').exec(text)?.[1]),
    );
  };
  return { leases: measureLeases(given, registry), registry, lost, counts, kept };
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
      leases.share('other', 1, () => work, { holdMs: 5 }),
    ];
    expect(await counts()).toEqual([2, 0]);
    expect(kept).toEqual([undefined, 5]);
    await given[Symbol.asyncDispose]();
    expect(await counts()).toEqual([1, 0]);
    lost.abort();
    expect(await counts()).toEqual([0, 1]);
  });

  it('say how long a renewal takes', async () => {
    const { registry } = start({ renewalMs: () => 2_000 });
    expect(await registry.text()).toMatch(/^dragoman_lease_renewal_seconds 2$/m);
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
