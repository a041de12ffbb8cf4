import { setImmediate } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test, it, describe } from 'vitest';
import { createLru, createCache, createCachedLook } from '../../../src/async/lru.ts';

test('what was not set for longest goes first', () => {
  const recent = createLru<string, number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect([...recent]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
  recent.delete('a');
  expect([recent.get('a'), recent.get('c')]).toEqual([undefined, 4]);
});

test('whatever is set, deleted and cleared, the last set stay within the limit', () => {
  const step = fc.oneof(
    { weight: 8, arbitrary: fc.record({ set: fc.nat(9), weight: fc.integer({ min: 0, max: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ delete: fc.nat(9) }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const limit = 7;
      const lru = createLru<number, number>(limit, (weight) => weight);
      let expected: [number, number][] = [];
      const without = (key: number) => expected.filter(([other]) => other !== key);
      const total = () => expected.reduce((sum, [, weight]) => sum + weight, 0);
      for (const one of steps) {
        if (one === 'clear') {
          lru.clear();
          expected = [];
        } else if ('delete' in one) {
          lru.delete(one.delete);
          expected = without(one.delete);
        } else {
          lru.set(one.set, one.weight);
          expected = [...without(one.set), [one.set, one.weight]];
          while (total() > limit && expected.length > 1) expected.shift();
        }
        expect([...lru]).toEqual(expected);
      }
    }),
  );
});

test('what was deleted is let go', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const lru = createLru<number, object>(1_000);
  const deleted = Array.from({ length: 50 }, () => {
    for (let key = 0; key < 40; key += 1) lru.set(key, { key });
    const ref = new WeakRef(lru.get(0) ?? {});
    for (let key = 0; key < 40; key += 1) lru.delete(key);
    return ref;
  });
  await setImmediate();
  collectGarbage();
  lru.set(1, {});
  expect(deleted.filter((ref) => ref.deref() !== undefined)).toEqual([]);
});

const counting = (most: number) => {
  const asked: string[] = [];
  const memo = createCache(
    async (key: string) => {
      asked.push(key);
      if (key === 'broken') throw new Error('broken');
      return asked.length;
    },
    { keyOf: (key) => key, most },
  );
  return { asked, memo };
};

it('what was read is not read again until it changes', async () => {
  const { memo } = counting(2);
  expect(await memo.of('a')).toBe(1);
  expect(await memo.of('a')).toBe(1);
  memo.forget('a');
  expect(await memo.of('a')).toBe(2);
});

it('what was not asked for longest goes first', async () => {
  const { asked, memo } = counting(2);
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) await memo.of(key);
  expect(asked).toEqual(['a', 'b', 'c', 'b']);
});

it('what could not be read is read again', async () => {
  const { asked, memo } = counting(2);
  await expect(memo.of('broken')).rejects.toThrow('broken');
  await expect(memo.of('broken')).rejects.toThrow('broken');
  expect(asked).toEqual(['broken', 'broken']);
});

it('what weighs more takes more room, and the newest stays whatever its weight', async () => {
  const asked: string[] = [];
  const memo = createCache(
    async (key: string) => {
      asked.push(key);
      return key.length;
    },
    { keyOf: (key) => key, most: 6, weightOf: (length) => length },
  );
  for (const key of ['aa', 'bbb', 'aa', 'cccc', 'aa', 'bbb']) await memo.of(key);
  expect(asked).toEqual(['aa', 'bbb', 'cccc', 'bbb']);
  await memo.of('ddddddddd');
  await memo.of('ddddddddd');
  await memo.of('aa');
  expect(asked.slice(4)).toEqual(['ddddddddd', 'aa']);
});

it('what was read a while ago is read anew', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const cache = createCache(
    async (key: string) => {
      asked.push(key);
      return key;
    },
    { keyOf: (key) => key, most: 6, lifeMs: 1_000, now: () => nowMs },
  );
  for (nowMs of [0, 600, 999, 1_000, 1_999, 2_000]) await cache.of('a');
  expect(asked).toHaveLength(3);
});

it('what counts for less time than the others is read anew before them', async () => {
  let nowMs = 0;
  const asked: string[] = [];
  const cache = createCache(
    async (key: string) => {
      asked.push(key);
      return key;
    },
    {
      keyOf: (key) => key,
      most: 6,
      lifeMs: 1_000,
      lifeOf: (key) => (key === 'brief' ? 100 : 1_000),
      now: () => nowMs,
    },
  );
  for (nowMs of [0, 99, 100, 999]) await Promise.all(['brief', 'long'].map(cache.of));
  expect(asked).toEqual(['brief', 'long', 'brief', 'brief']);
});

it('what was read is read anew where the clock was set back', async () => {
  let nowMs = 86_400_000;
  let asked = 0;
  const cache = createCache(async () => (asked += 1), {
    keyOf: String,
    most: 6,
    lifeMs: 1_000,
    now: () => nowMs,
  });
  await cache.of('a');
  nowMs = 0;
  expect(await cache.of('a')).toBe(2);
  expect(await cache.of('a')).toBe(2);
});

const start = (look: (number: number) => Promise<number>) => {
  const clock = { ms: 0, nowMs: () => clock.ms };
  let looks = 0;
  const remembered = createCachedLook(() => look((looks += 1)), 1_000, clock);
  return { clock, remembered };
};

describe('a remembered look', () => {
  it('counts for its time', async () => {
    const { clock, remembered } = start(async (number) => number);
    expect(await remembered()).toBe(1);
    clock.ms = 999;
    expect(await remembered()).toBe(1);
    clock.ms = 1_000;
    expect(await remembered()).toBe(2);
  });

  it('is taken once at a time, however long it takes', async () => {
    const gate = Promise.withResolvers<number>();
    const { clock, remembered } = start(() => gate.promise);
    const first = remembered();
    clock.ms = 60_000;
    const second = remembered();
    gate.resolve(7);
    expect(await Promise.all([first, second])).toEqual([7, 7]);
  });

  it('that fails fails for its time, too', async () => {
    const { clock, remembered } = start(async (number) => {
      if (number === 1) throw new Error('away');
      return number;
    });
    await expect(remembered()).rejects.toThrow('away');
    await expect(remembered()).rejects.toThrow('away');
    clock.ms = 1_000;
    expect(await remembered()).toBe(2);
  });
});
