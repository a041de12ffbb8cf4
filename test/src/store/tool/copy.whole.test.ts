import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { readAddress } from '../../../../src/store/tool/address.ts';
import { openSource } from '../../../../src/store/tool/source.ts';
import { openAsItIs } from '../../../../src/store/tool/status.ts';
import { openTestStore } from '../../../fakes/database.ts';
import { contentOf, ENGINES, fillAt, tool, withoutClaims } from './support.ts';

const [SQLITE, POSTGRES] = ENGINES;

describe('copying a database', () => {
  it.each([
    ['SQLite to PostgreSQL and back', SQLITE, POSTGRES],
    ['PostgreSQL to SQLite and back', POSTGRES, SQLITE],
  ])('from %s keeps every row as it is', async (_, first, second) => {
    const [from, to, back] = [await first.make(), await second.make(), await first.make()];
    await fillAt(from, 410);
    const before = withoutClaims(await contentOf(from));
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
    const lines = await tool(from, ['copy', from, to]);
    expect(lines).toContain('inbox: 410 rows');
    expect(await contentOf(to)).toEqual(before);
    await tool(from, ['copy', to, back]);
    expect(await contentOf(back)).toEqual(before);
  });

  it('has PostgreSQL number what comes next behind the largest', async () => {
    const [from, to] = [await SQLITE.make(), await POSTGRES.make()];
    await fillAt(from, 7);
    await tool(from, ['copy', from, to]);
    const store = await openTestStore(to);
    const { number } = await store.write((db) =>
      db
        .insertInto('delivery')
        .values({
          platform: 'p',
          id: 'new',
          space_id: 's',
          order_key: 'k',
          slot: 0,
          received_ms: 0,
        })
        .returning('number')
        .executeTakeFirstOrThrow(),
    );
    expect(number).toBe(8);
  });

  it.each(ENGINES)('refuses a $engine that has rows, and leaves them', async ({ make }) => {
    const [from, to] = [await SQLITE.make(), await make()];
    await fillAt(from, 2);
    await fillAt(to, 3);
    const before = await contentOf(to);
    await expect(tool(from, ['copy', from, to])).rejects.toThrow('is not empty');
    expect(await contentOf(to)).toEqual(before);
    await tool(from, ['copy', from, to, '--replace']);
    expect(await contentOf(to)).toEqual(withoutClaims(await contentOf(from)));
  });

  it.each(ENGINES)(
    'refuses a $engine on which a program works, to or from it',
    async ({ make }) => {
      const [other, used] = [await SQLITE.make(), await make()];
      await fillAt(other, 2);
      const store = await openTestStore(used);
      await expect(tool(other, ['copy', other, used])).rejects.toThrow(/in use by|works on the/);
      await expect(tool(other, ['copy', used, other, '--replace'])).rejects.toThrow(
        /in use by|works on the/,
      );
      await store.destroy();
      await tool(other, ['copy', other, used]);
    },
  );

  it('from PostgreSQL has no process begin to work on it meanwhile', async () => {
    const from = await POSTGRES.make();
    await fillAt(from, 2);
    await using other = openAsItIs(readAddress(from));
    const begin = async (): Promise<unknown> =>
      other
        .transaction()
        .execute((within) => sql`LOCK TABLE lease IN ROW EXCLUSIVE MODE NOWAIT`.execute(within));
    {
      await using _ = await openSource(readAddress(from), { isLocked: true });
      await expect(begin()).rejects.toThrow('too long to answer');
    }
    await begin();
  });

  it.each(ENGINES)('to $engine that is stopped half-way leaves it as it was', async ({ make }) => {
    const [from, to] = [await SQLITE.make(), await make()];
    await fillAt(from, 3);
    await fillAt(to, 2);
    const before = await contentOf(to);
    const stopping = new AbortController();
    stopping.abort(new Error('stopped'));
    const copying = tool(from, ['copy', from, to, '--replace'], stopping.signal);
    await expect(copying).rejects.toThrow('stopped');
    expect(await contentOf(to)).toEqual(before);
  });

  it('names a table whose text PostgreSQL does not store, and leaves everything as it was', async () => {
    const [from, to] = [await SQLITE.make(), await POSTGRES.make()];
    const store = await openTestStore(from);
    await store.write((db) =>
      db
        .insertInto('space_setting')
        .values({ platform: 'p', space_id: 'a\0b', choices: '' })
        .execute(),
    );
    await store.destroy();
    await expect(tool(from, ['copy', from, to])).rejects.toThrow(
      'a row in space_setting has a zero',
    );
    expect(Object.values(await contentOf(to)).flat()).toEqual([]);
  });
});
