import { Kysely, sql, type PostgresPool, type PostgresPoolClient, type Transaction } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createDialect, createPostgresTransact } from '../../../../src/store/postgres/dialect.ts';
import type { Schema } from '../../../../src/store/schema.ts';
import { fromPostgres } from '../../../../src/store/postgres/faults.ts';
import { createStoreWriter } from '../../../../src/store/writer.ts';
import { createHastyClock } from '../../../fakes/clock.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';

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

/** A database whose work ends with an error after it took place, as often as there are errors. */
const failing = (...errors: unknown[]) => {
  const use = () =>
    ({
      execute: async (run: (within: Transaction<Schema>) => Promise<void>) => {
        await run({} as Transaction<Schema>);
        if (errors.length > 0) throw errors.shift();
      },
    }) as never;
  return { transaction: use, connection: use };
};

const writerOf = (db: ReturnType<typeof failing>) =>
  createStoreWriter(createPostgresTransact(db, db, createHastyClock()), async () => undefined);

/** What a server says that is being restarted. */
const restarting = () => fromPostgres(Object.assign(new Error('terminating'), { code: '57P01' }));

describe('writes', () => {
  it('whose commit ends with an unknown error are not run again, and rejected as a fault of the database', async () => {
    const unknown = new Error('something of the network');
    const { write } = writerOf(failing(unknown, unknown));
    const runs: string[] = [];
    const written = await Promise.allSettled(
      ['one', 'two'].map((name) => write(async () => void runs.push(name))),
    );
    expect(runs).toEqual(['one', 'two']);
    for (const each of written)
      expect(each).toMatchObject({ reason: { code: 'unavailable', retryable: true } });
  });

  it('are run again after a fault that passes where their statements stand for themselves, and else only before the commit', async () => {
    let runs = 0;
    const run = async (): Promise<void> => void (runs += 1);
    await writerOf(failing(restarting(), restarting())).write(run, { separate: true });
    expect(runs).toBe(3);
    const committing = writerOf(failing(restarting())).write(run);
    await expect(committing).rejects.toMatchObject({ code: 'unavailable' });
    expect(runs).toBe(4);
  });
});

describe('a prepared statement whose columns another process has changed', () => {
  it('is prepared anew, within transactions too', async () => {
    const url = await makeDatabase();
    const store = await openTestStore(url);
    const read = (db: Pick<Transaction<Schema>, 'selectFrom'>) =>
      db.selectFrom('member_setting').selectAll().where('platform', '=', 'test').execute();
    let runs = 0;
    const readWithin = () =>
      store.write((db) => {
        runs += 1;
        return read(db);
      });
    for (let time = 0; time < 3; time += 1) await read(store);
    await onServer(url, 'ALTER TABLE member_setting ADD COLUMN first text');
    expect(await read(store)).toEqual([]);
    for (let time = 0; time < 3; time += 1) await readWithin();
    await onServer(url, 'ALTER TABLE member_setting ADD COLUMN second text');
    expect(await readWithin()).toEqual([]);
    expect(runs).toBe(5);
  });
});
