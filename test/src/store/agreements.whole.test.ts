import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createAgreements } from '../../../src/store/agreements.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { rowsOn } from '../../fakes/on-server.ts';

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

  it.each([
    ['PostgreSQL', makeDatabase],
    ['SQLite', async () => 'sqlite::memory:'],
  ])('are replaced unless a lease of theirs is held: %s', async (_, make) => {
    const store = await openTestStore(await make());
    const agreements = createAgreements(store);
    const replace = async (former: number, value: number): Promise<number> =>
      agreements.replace('things', { former, value, unlessHeld: 'thing' });
    await agreements.agree('things', 4);
    expect(await replace(3, 5)).toBe(4);
    const held = await store.leases.acquire('thing:first', new AbortController().signal);
    expect(await replace(4, 5)).toBe(4);
    await held.release();
    expect(await replace(4, 5)).toBe(5);
    expect(await agreements.read('things')).toEqual(new Map([['things', 5]]));
  });

  it('are not replaced where a lease is acquired while that waits for its turn', async () => {
    const url = await makeDatabase();
    const store = await openTestStore(url);
    const agreements = createAgreements(store);
    await agreements.agree('things', 4);
    const other = new pg.Client({ connectionString: url });
    await other.connect();
    onTestFinished(() => other.end());
    await other.query(`BEGIN; UPDATE agreement SET value = 4 WHERE name = 'things'`);
    const replaced = agreements.replace('things', { former: 4, value: 5, unlessHeld: 'thing' });
    const waiting = async (): Promise<number> => {
      const blocked = `SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'`;
      return (await rowsOn(url, `${blocked} AND datname = current_database()`)).length;
    };
    await expect.poll(waiting).toBe(1);
    await store.leases.acquire('thing:first', new AbortController().signal);
    await other.query('COMMIT');
    expect(await replaced).toBe(4);
  });
});
