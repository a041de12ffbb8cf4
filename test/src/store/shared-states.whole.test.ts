import { describe, expect, it } from 'vitest';
import type { SharedStates } from '../../../src/ports/store.ts';
import { clearOld } from '../../../src/store/privacy/clear-old.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { eventually } from '../../fakes/eventually.ts';
import { NO_HORIZONS } from '../../fakes/horizons.ts';

const count = (states: SharedStates, name: string): Promise<number> =>
  states.change(name, (text = '0') => {
    const result = Number(text) + 1;
    return { state: String(result), result };
  });

describe('the states that processes share', () => {
  it('are changed by one process at a time, and heard of by the others', async () => {
    const url = await makeDatabase();
    const stores = [await openTestStore(url), await openTestStore(url)];
    const [one, other] = stores.map(({ states }) => states!) as [SharedStates, SharedStates];
    const heard: string[] = [];
    one.watch((name) => heard.push(`one: ${name}`));
    const unwatch = other.watch((name) => heard.push(`other: ${name}`));
    const counted = await Promise.all(
      Array.from({ length: 40 }, (_, index) => count(index % 2 ? one : other, 'x')),
    );
    expect(counted.toSorted((a, b) => a - b)).toEqual(counted.map((_, index) => index + 1));
    expect(heard).toEqual([]);
    const now = await one.change('x', (_, nowMs) => ({
      isNews: true,
      result: Math.round(nowMs),
    }));
    expect(Math.abs(now - Date.now())).toBeLessThan(60_000);
    await eventually(() => expect(heard).toEqual(['other: x']));
    unwatch();
    expect(await count(other, 'x')).toBe(41);
    await clearOld(stores[0]!, { ...NO_HORIZONS, statesMs: now - 60_000 });
    expect(await count(one, 'x')).toBe(42);
    await clearOld(stores[0]!, { ...NO_HORIZONS, statesMs: now + 60_000 });
    expect(await count(one, 'x')).toBe(1);
  });

  it('are none where only one process uses the database', async () => {
    expect((await openTestStore('sqlite::memory:')).states).toBeUndefined();
  });
});
