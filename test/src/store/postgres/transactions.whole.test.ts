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

const runIn = async (pool: PostgresPool): Promise<void> => {
  await using db = new Kysely<object>({ dialect: createDialect(pool) });
  await db.transaction().execute(async (within) => {
    await sql`first`.execute(within);
    await sql`second`.execute(within);
  });
};

describe('a transaction', () => {
  it('begins together with its first statement', async () => {
    const first = Promise.withResolvers<void>();
    const { sent, pool } = createPool(async (text) => {
      if (text === 'BEGIN') await first.promise;
      if (text === 'first') first.resolve();
    });
    await runIn(pool);
    expect(sent).toEqual(['BEGIN', 'first', 'second', 'commit']);
  });

  it('is not committed that did not begin', async () => {
    const { sent, pool } = createPool(async (text) => {
      if (text === 'BEGIN') throw new Error('no transaction now');
    });
    await expect(runIn(pool)).rejects.toThrow('no transaction now');
    expect(sent.at(-1)).toBe('rollback');
  });
});
