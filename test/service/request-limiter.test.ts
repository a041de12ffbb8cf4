import { describe, expect, it } from 'vitest';
import { createRequestLimiter } from '../../service/request-limiter.ts';

const signal = new AbortController().signal;

describe('a gate', () => {
  it('lets in as many as it may, and the next when one has left', async () => {
    const gate = createRequestLimiter({ concurrent: 2, waiting: 5 });
    const first = await gate.enter(signal);
    await gate.enter(signal);
    let entered = false;
    const third = gate.enter(signal).then((place) => {
      entered = true;
      return place;
    });
    await Promise.resolve();
    expect(entered).toBe(false);
    first[Symbol.dispose]();
    await third;
    expect(entered).toBe(true);
  });

  it('keeps the order of those who wait', async () => {
    const gate = createRequestLimiter({ concurrent: 1, waiting: 5 });
    const first = await gate.enter(signal);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (id) => {
      const place = await gate.enter(signal);
      order.push(id);
      place[Symbol.dispose]();
    });
    first[Symbol.dispose]();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('turns away with the time to wait when too many wait', async () => {
    const gate = createRequestLimiter({ concurrent: 1, waiting: 1 });
    await gate.enter(signal);
    gate.enter(signal).catch(() => undefined);
    await expect(gate.enter(signal)).rejects.toMatchObject({
      named: 'ErrRateLimited',
      retryAfterMs: 1_000,
      message: 'Too many requests. Retry after 1s',
    });
  });

  it('forgets those who stop waiting', async () => {
    const gate = createRequestLimiter({ concurrent: 1, waiting: 1 });
    const first = await gate.enter(signal);
    const leaving = new AbortController();
    const left = gate.enter(leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const next = gate.enter(signal);
    first[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });

  it('counts a place that is left twice once', async () => {
    const gate = createRequestLimiter({ concurrent: 1, waiting: 0 });
    const first = await gate.enter(signal);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await gate.enter(signal);
    await expect(gate.enter(signal)).rejects.toMatchObject({ named: 'ErrRateLimited' });
  });
});
