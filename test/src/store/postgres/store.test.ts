import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { RELAXED } from '../../../../src/store/writer.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { rowsOn } from '../../../fakes/on-server.ts';

it('lets writes that wait for no disk pass those that do', async () => {
  const store = await openTestStore(await makeDatabase());
  const disk = Promise.withResolvers<void>();
  const ended: string[] = [];
  const write = async (name: string, options?: typeof RELAXED): Promise<void> => {
    await store.write(async () => {
      if (!options) await disk.promise;
    }, options);
    ended.push(name);
  };
  const durable = write('durable');
  await write('relaxed', RELAXED);
  disk.resolve();
  await durable;
  await store.written();
  expect(ended).toEqual(['relaxed', 'durable']);
});

it('ends although a statement is blocked, once what waits for the database is abandoned', async () => {
  const url = await makeDatabase();
  const store = await openTestStore(url);
  const blocker = new pg.Client({ connectionString: url });
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('BEGIN; LOCK TABLE machine IN ACCESS EXCLUSIVE MODE');
  const write = store.write((db) => db.updateTable('machine').set({ boot_id: 'x' }).execute());
  const refused = expect(write).rejects.toThrow();
  const waiting = (): Promise<readonly object[]> =>
    rowsOn(url, "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock'");
  await expect.poll(async () => (await waiting()).length).toBe(1);

  const ended = store.destroy().catch(() => undefined);
  store.abandon?.();
  await refused;
  await expect(store.selectFrom('machine').selectAll().execute()).rejects.toThrow();
  await ended;
});
