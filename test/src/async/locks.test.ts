import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createSemaphore, createKeyedMutex } from '../../../src/async/locks.ts';

describe('a semaphore', () => {
  it('lets so many in at once, and the others in their order, whatever becomes of those before', async () => {
    const semaphore = createSemaphore(2);
    const begun: number[] = [];
    let within = 0;
    let most = 0;
    const results = await Promise.allSettled(
      Array.from({ length: 7 }, (_, index) =>
        semaphore.use(async () => {
          begun.push(index);
          within += 1;
          most = Math.max(most, within);
          await setImmediate();
          within -= 1;
          if (index === 1) throw new Error('broken');
          return index;
        }),
      ),
    );
    expect(most).toBe(2);
    expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(results.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  });

  it('can be used again when all were idle', async () => {
    const semaphore = createSemaphore(1);
    for (const expected of [1, 2, 3])
      expect(await semaphore.use(async () => expected)).toBe(expected);
  });

  it('gives a permit at once only where one is free', () => {
    const semaphore = createSemaphore(1);
    const permit = semaphore.tryAcquire();
    expect(permit).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
    permit?.[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it('hands a permit on to the one who waits, and not to one who comes just then', async () => {
    const semaphore = createSemaphore(1);
    const first = await semaphore.acquire();
    const second = semaphore.acquire();
    first[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeUndefined();
    (await second)[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it('lets the urgent ones go first, by what they say when a permit is free', async () => {
    const semaphore = createSemaphore(1);
    const begun: string[] = [];
    const urgent = new Set<string>();
    const held = await semaphore.acquire();
    const all = ['a', 'b', 'c', 'd'].map((name) =>
      semaphore.use(
        async () => void begun.push(name),
        undefined,
        () => urgent.has(name),
      ),
    );
    urgent.add('c').add('d');
    held[Symbol.dispose]();
    await Promise.all(all);
    expect(begun).toEqual(['c', 'd', 'a', 'b']);
  });

  it('counts a permit that is disposed of twice once', async () => {
    const semaphore = createSemaphore(1);
    const permit = await semaphore.acquire();
    permit[Symbol.dispose]();
    permit[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeDefined();
    expect(semaphore.tryAcquire()).toBeUndefined();
  });

  it('forgets those who stop waiting, with their reason', async () => {
    const semaphore = createSemaphore(1);
    const held = await semaphore.acquire();
    const leaving = new AbortController();
    const left = semaphore.acquire(leaving.signal);
    const next = semaphore.acquire();
    leaving.abort(new Error('left'));
    await expect(left).rejects.toThrow('left');
    await expect(semaphore.acquire(leaving.signal)).rejects.toThrow('left');
    held[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });

  it('keeps a permit for one who was let in before the signal was aborted', async () => {
    const semaphore = createSemaphore(1);
    const held = await semaphore.acquire();
    const late = new AbortController();
    const waiting = semaphore.acquire(late.signal);
    held[Symbol.dispose]();
    late.abort(new Error('too late'));
    (await waiting)[Symbol.dispose]();
    expect(semaphore.tryAcquire()).toBeDefined();
  });

  it('turns away whoever comes when as many wait as may', async () => {
    const semaphore = createSemaphore(1, { most: 1, full: () => new Error('full') });
    const held = await semaphore.acquire();
    const leaving = new AbortController();
    const waiting = semaphore.acquire(leaving.signal);
    await expect(semaphore.acquire()).rejects.toThrow('full');
    leaving.abort(new Error('left'));
    await expect(waiting).rejects.toThrow('left');
    const next = semaphore.acquire();
    held[Symbol.dispose]();
    await expect(next).resolves.toBeDefined();
  });
});

describe('a keyed mutex', () => {
  it('gives turns of one key one after another, in the order in which they were asked for', async () => {
    const turns = createKeyedMutex();
    const begun: string[] = [];
    const take = async (who: string): Promise<Disposable> => {
      const turn = await turns.take('door');
      begun.push(who);
      return turn;
    };
    const [first, second] = [take('first'), take('second')];
    (await first)[Symbol.dispose]();
    const ofSecond = await second;
    const third = take('third');
    await setImmediate();
    expect(begun).toEqual(['first', 'second']);
    ofSecond[Symbol.dispose]();
    using _ = await third;
    expect(begun).toEqual(['first', 'second', 'third']);
  });

  it('ends a turn with the block that it was taken for, also when that throws', async () => {
    const turns = createKeyedMutex();
    const fail = async (): Promise<void> => {
      using _ = await turns.take('door');
      throw new Error('no');
    };
    await expect(fail()).rejects.toThrow('no');
    using _ = await turns.take('door');
  });

  it('keeps no other key waiting', async () => {
    const turns = createKeyedMutex();
    using _ = await turns.take('door');
    using other = await turns.take('window');
    expect(other).toBeDefined();
  });

  it('lets nobody pass whom it waited for longer when one gives up waiting', async () => {
    const turns = createKeyedMutex();
    const stop = new AbortController();
    const begun: string[] = [];
    const first = await turns.take('door');
    const second = turns.take('door', stop.signal);
    const third = turns.take('door').then((turn) => {
      begun.push('third');
      return turn;
    });
    stop.abort(new Error('stopped'));
    await expect(second).rejects.toThrow('stopped');
    await setImmediate();
    expect(begun).toEqual([]);
    first[Symbol.dispose]();
    using _ = await third;
    expect(begun).toEqual(['third']);
  });
});
