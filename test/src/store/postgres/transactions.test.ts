import { Kysely, sql, type PostgresPool, type PostgresPoolClient } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createDialect } from '../../../../src/store/postgres/transactions.ts';

/** A pool of one connection, and what was sent on it. */
const createPool = (answer: (text: string) => Promise<void> = async () => undefined) => {
  const sent: string[] = [];
  const client: PostgresPoolClient = {
    query: (async (text: string) => {
      sent.push(text);
      await answer(text);
      return { command: 'SELECT', rowCount: 0, rows: [] };
    }) as unknown as PostgresPoolClient['query'],
    release: () => undefined,
  };
  const pool = { connect: async () => client, end: async () => undefined, options: {} };
  return { sent, pool: pool as unknown as PostgresPool };
};

const runIn = async (pool: PostgresPool, isDurable: boolean): Promise<void> => {
  await using db = new Kysely<object>({ dialect: createDialect(pool, isDurable) });
  await db.transaction().execute(async (within) => {
    await sql`first`.execute(within);
    await sql`second`.execute(within);
  });
};

describe('a transaction', () => {
  it.each([
    [true, 'BEGIN'],
    [false, 'BEGIN; SET LOCAL synchronous_commit = off'],
  ])('begins together with its first statement (durable: %s)', async (isDurable, begin) => {
    const first = Promise.withResolvers<void>();
    const { sent, pool } = createPool(async (text) => {
      if (text === begin) await first.promise;
      if (text === 'first') first.resolve();
    });
    await runIn(pool, isDurable);
    expect(sent).toEqual([begin, 'first', 'second', 'commit']);
  });

  it('is not committed that did not begin', async () => {
    const { sent, pool } = createPool(async (text) => {
      if (text === 'BEGIN') throw new Error('no transaction now');
    });
    await expect(runIn(pool, true)).rejects.toThrow('no transaction now');
    expect(sent.at(-1)).toBe('rollback');
  });
});
