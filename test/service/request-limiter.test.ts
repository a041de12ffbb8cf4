import { describe, expect, it } from 'vitest';
import type { AllowanceRate } from '../../service/allowance.ts';
import { createCallRate, createRequestLimiter } from '../../service/request-limiter.ts';
import { createTestClock } from '../fakes/clock.ts';

const signal = new AbortController().signal;

describe('a request limiter', () => {
  it('lets in as many as it may, and the next when one has left', async () => {
    const limiter = createRequestLimiter({ concurrent: 2, waiting: 5 });
    const first = await limiter.acquire(signal);
    await limiter.acquire(signal);
    let entered = false;
    const third = limiter.acquire(signal).then((permit) => {
      entered = true;
      return permit;
    });
    await Promise.resolve();
    expect(entered).toBe(false);
    first[Symbol.dispose]();
    await third;
    expect(entered).toBe(true);
  });

  it('lets in what may be left undone while more than half of it is free', async () => {
    const limiter = createRequestLimiter({ concurrent: 4, waiting: 5 });
    const held = [await limiter.acquireSpare(signal), await limiter.acquireSpare(signal)];
    await expect(limiter.acquireSpare(signal)).rejects.toMatchObject({ named: 'ErrRateLimited' });
    held[0]![Symbol.dispose]();
    (await limiter.acquireSpare(signal))[Symbol.dispose]();
  });

  it('tells a request whether others have turns or wait for them', async () => {
    const limiter = createRequestLimiter({ concurrent: 2, waiting: 5 });
    using one = limiter.admit('a');
    const own = [await one.turn(signal), await one.turn(signal)];
    const leaving = new AbortController();
    const waiting = one.turn(leaving.signal);
    expect(one.isBusy).toBe(false);
    using other = limiter.admit('b');
    const turn = other.turn(signal);
    expect(one.isBusy).toBe(true);
    leaving.abort();
    await expect(waiting).rejects.toThrow();
    for (const each of own) each[Symbol.dispose]();
    expect(other.isBusy).toBe(false);
    expect(one.isBusy).toBe(true);
    (await turn)[Symbol.dispose]();
    expect(one.isBusy).toBe(false);
  });

  it('keeps the order of those who wait', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 5 });
    const first = await limiter.acquire(signal);
    const order: number[] = [];
    const waiting = [1, 2, 3].map(async (id) => {
      const permit = await limiter.acquire(signal);
      order.push(id);
      permit[Symbol.dispose]();
    });
    first[Symbol.dispose]();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
  });

  it('turns away with the time to wait when too many wait', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    await limiter.acquire(signal);
    limiter.acquire(signal).catch(() => undefined);
    await expect(limiter.acquire(signal)).rejects.toMatchObject({
      named: 'ErrRateLimited',
      retryAfterMs: 1_000,
      message: 'Too many requests. Retry after 1s',
    });
  });

  it('forgets those who stop waiting', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    const first = await limiter.acquire(signal);
    const leaving = new AbortController();
    const left = limiter.acquire(leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const next = limiter.acquire(signal);
    first[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });

  it('counts a permit that is disposed of twice once', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 0 });
    const first = await limiter.acquire(signal);
    first[Symbol.dispose]();
    first[Symbol.dispose]();
    await limiter.acquire(signal);
    await expect(limiter.acquire(signal)).rejects.toMatchObject({ named: 'ErrRateLimited' });
  });

  /** Runs requests of so many turns each; returns their names in the order of the turns. */
  const orderOf = async (
    requests: readonly (readonly [name: string, key: string, turns: number])[],
  ): Promise<string[]> => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 20 });
    const held = await limiter.acquire(signal);
    const order: string[] = [];
    const running = requests.map(async ([name, key, turns]) => {
      using request = limiter.admit(key);
      for (let turn = 0; turn < turns; turn += 1) {
        using _ = await request.turn(signal);
        order.push(name);
      }
    });
    held[Symbol.dispose]();
    await Promise.all(running);
    return order;
  };

  it('lets the requests of a key take turns', async () => {
    expect(
      await orderOf([
        ['a', 'k', 3],
        ['b', 'k', 3],
      ]),
    ).toEqual(['a', 'b', 'a', 'b', 'a', 'b']);
  });

  it('lets keys take turns, however many requests each has', async () => {
    expect(
      await orderOf([
        ['a', 'many', 1],
        ['b', 'many', 1],
        ['c', 'many', 1],
        ['d', 'one', 1],
      ]),
    ).toEqual(['a', 'd', 'b', 'c']);
  });

  it('lets the key that comes go before the one that had the last turn', async () => {
    expect(
      await orderOf([
        ['a', '', 1],
        ['b', '', 1],
        ['c', 'one', 2],
      ]),
    ).toEqual(['c', 'a', 'c', 'b']);
  });

  it('turns away only the key that has too many', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 1 });
    const many = [limiter.admit('many'), limiter.admit('many')];
    expect(() => limiter.admit('many')).toThrow('Too many requests');
    limiter.admit('one');
    many[0]![Symbol.dispose]();
    limiter.admit('many');
  });

  it('leaves some of many turns to other keys', async () => {
    const limiter = createRequestLimiter({ concurrent: 8, waiting: 20 });
    const turns: Disposable[] = [];
    const waiting = Array.from({ length: 8 }, async () => {
      turns.push(await limiter.acquire(signal, 'many'));
    });
    await new Promise(setImmediate);
    expect(turns).toHaveLength(6);
    (await limiter.acquire(signal, 'one'))[Symbol.dispose]();
    for (let next = turns.shift(); next; next = turns.shift()) {
      next[Symbol.dispose]();
      await new Promise(setImmediate);
    }
    await Promise.all(waiting);
  });

  it('lets a short request pass long ones, and not stop them', async () => {
    const limiter = createRequestLimiter({ concurrent: 1, waiting: 20 });
    const order: string[] = [];
    const long = limiter.admit('k');
    const other = limiter.admit('k');
    let turn = await long.turn(signal);
    const waiting = [other.turn(signal)];
    (await (turn[Symbol.dispose](), waiting[0]!))[Symbol.dispose]();
    turn = await long.turn(signal);
    const say = async (name: string, coming: Promise<Disposable>): Promise<void> => {
      const got = await coming;
      order.push(name);
      got[Symbol.dispose]();
    };
    const all = [
      say('long', other.turn(signal)),
      say('short 1', limiter.acquire(signal, 'k')),
      say('short 2', limiter.acquire(signal, 'k')),
    ];
    turn[Symbol.dispose]();
    await Promise.all(all);
    expect(order).toEqual(['short 1', 'long', 'short 2']);
  });
});

describe('a request limiter with a rate', () => {
  const setUp = (allowed: AllowanceRate) => {
    const clock = createTestClock();
    const rate = createCallRate(clock, allowed);
    const limits = { concurrent: 5, waiting: 20, rate, clock };
    const limiter = createRequestLimiter(limits);
    const done: string[] = [];
    const run = async (name: string, turns = 1, key = 'k'): Promise<void> => {
      using request = limiter.admit(key);
      for (let turn = 0; turn < turns; turn += 1) {
        using _ = await request.turn(signal);
        done.push(name);
      }
    };
    return { clock, limits, limiter, done, run };
  };

  it('lets a burst begin, and a request more wait up to a second', async () => {
    const { clock, done, run } = setUp({ most: 2, perSecond: 1 });
    const running = Promise.all(['a', 'b', 'c'].map((name) => run(name)));
    await clock.advance(999);
    expect(done).toEqual(['a', 'b']);
    await clock.advance(1);
    await running;
    expect(done).toEqual(['a', 'b', 'c']);
  });

  it('turns away what would wait longer, with the time until its turn', async () => {
    const { clock, run } = setUp({ most: 1, perSecond: 0.5 });
    await run('a');
    await clock.advance(280);
    await expect(run('b')).rejects.toMatchObject({
      named: 'ErrRateLimited',
      retryAfterMs: 1_720,
      message: 'Too many requests. Retry after 1.72s',
    });
    await clock.advance(720);
    const later = run('c');
    await expect(run('d')).rejects.toMatchObject({ retryAfterMs: 3_000 });
    await clock.advance(1_000);
    await later;
  });

  it('promises nothing twice where abilities share it', async () => {
    const { clock, limits, run } = setUp({ most: 1, perSecond: 1 });
    const other = createRequestLimiter(limits);
    await run('a');
    const leaving = new AbortController();
    const waiting = other.acquire(leaving.signal);
    await expect(run('b')).rejects.toMatchObject({ retryAfterMs: 2_000 });
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    const next = run('c');
    await clock.advance(1_000);
    await next;
  });

  it('lets a request wait as long as it wants', async () => {
    const { clock, limiter, run } = setUp({ most: 1, perSecond: 0.1 });
    await run('a');
    const patient = limiter.acquire(signal, 'k', Infinity);
    expect(() => limiter.admit('k', 0)).toThrow('Too many requests');
    await clock.advance(10_000);
    (await patient)[Symbol.dispose]();
    expect(() => limiter.admit('k', 0)).toThrow('Too many requests');
    await clock.advance(10_000);
    limiter.admit('k', 0)[Symbol.dispose]();
  });

  it('delays further turns of a request, and lets others begin between them', async () => {
    const { clock, done, run } = setUp({ most: 1, perSecond: 1 });
    const long = run('long', 4);
    await clock.advance(500);
    const short = run('short');
    await clock.advance(10_000);
    await Promise.all([long, short]);
    expect(done).toEqual(['long', 'short', 'long', 'long', 'long']);
  });

  it('has a place for a key, however many another has taken', async () => {
    const { clock, done, run } = setUp({ most: 1, perSecond: 4 });
    await run('first', 1, 'many');
    const waiting = Array.from({ length: 4 }, () => run('many', 1, 'many'));
    await expect(run('one more', 1, 'many')).rejects.toMatchObject({ named: 'ErrRateLimited' });
    const few = run('few', 1, 'few');
    await clock.advance(2_000);
    await Promise.all([...waiting, few]);
    expect(done).toEqual(['first', 'few', 'many', 'many', 'many', 'many']);
  });

  it('forgets a request that left before its turn', async () => {
    const { clock, limiter, run } = setUp({ most: 1, perSecond: 1 });
    await run('a');
    const leaving = new AbortController();
    const left = limiter.acquire(leaving.signal);
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    const next = run('b');
    await clock.advance(1_000);
    await next;
  });
});
