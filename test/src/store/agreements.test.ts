import { describe, expect, it } from 'vitest';
import { createAgreements } from '../../../src/store/agreements.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';

describe('the numbers that processes agree on', () => {
  it('are those of whoever was first, until somebody sets others', async () => {
    const url = await makeDatabase();
    const [one, other] = [await openTestStore(url), await openTestStore(url)].map(
      createAgreements,
    ) as [ReturnType<typeof createAgreements>, ReturnType<typeof createAgreements>];
    let looks = 0;
    const unwatch = other.watch('things', () => {
      looks += 1;
    });
    expect(await one.agree('things', 4)).toBe(4);
    expect(await other.agree('things', 5)).toBe(4);
    await one.write({ another: 2 });
    expect(looks).toBe(0);
    await one.write({ things: 6, 'things next': 7, another: 1 });
    expect(looks).toBeGreaterThan(0);
    expect(await other.read('things')).toEqual(
      new Map([
        ['things', 6],
        ['things next', 7],
      ]),
    );
    unwatch();
    await other.write({ 'things next': undefined });
    expect(await one.read('things next')).toEqual(new Map());
  });
});
