import type { Transaction } from 'kysely';
import { describe, expect, it } from 'vitest';
import type { Schema } from '../../../../src/store/schema.ts';
import { createPostgresTransact } from '../../../../src/store/postgres/transact.ts';
import { createStoreWriter } from '../../../../src/store/writer.ts';
import { createHastyClock } from '../../../fakes/clock.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';

/** A database whose commits end with an error after they took place, also those of single statements. */
const failingCommits = (error: Error) => {
  const use = () =>
    ({
      execute: async (run: (within: Transaction<Schema>) => Promise<void>) => {
        await run({} as Transaction<Schema>);
        throw error;
      },
    }) as never;
  return { transaction: use, connection: use };
};

describe('writes', () => {
  it.each([false, true])(
    'whose commit ends with an unknown error are not run again, and rejected as a fault of the database (separate: %s)',
    async (separate) => {
      const db = failingCommits(new Error('something of the network'));
      const { write } = createStoreWriter(
        createPostgresTransact(db, db, createHastyClock()),
        async () => undefined,
      );
      const runs: string[] = [];
      const written = await Promise.allSettled(
        ['one', 'two'].map((name) => write(async () => void runs.push(name), { separate })),
      );
      expect(runs).toEqual(['one', 'two']);
      for (const each of written)
        expect(each).toMatchObject({ reason: { code: 'unavailable', retryable: true } });
    },
  );
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
