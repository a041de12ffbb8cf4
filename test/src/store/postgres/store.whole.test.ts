import { sql } from 'kysely';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { RELAXED, SEPARATE_RELAXED, type Write } from '../../../../src/store/writer.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer, rowsOn } from '../../../fakes/on-server.ts';

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

it('has the commits of writes wait for the disk, but for those that can be redone', async () => {
  const url = await makeDatabase();
  await onServer(
    url,
    `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = on`,
  );
  const store = await openTestStore(url);
  const waiting: Write<string> = async (db) =>
    (await sql<{ is: string }>`SELECT current_setting('synchronous_commit') AS is`.execute(db))
      .rows[0]!.is;
  const found = [];
  for (const options of [{}, { separate: true }, RELAXED, SEPARATE_RELAXED])
    found.push(await store.write(waiting, options));
  expect(found).toEqual(['on', 'on', 'off', 'off']);
});

it('begins no transaction for statements that stand for themselves, unless they come with other writes', async () => {
  const store = await openTestStore(await makeDatabase());
  const number: Write<string> = async (db) =>
    (await sql<{ id: string }>`SELECT pg_current_xact_id()::text AS id`.execute(db)).rows[0]!.id;
  const twice: Write<boolean> = async (db) => (await number(db)) === (await number(db));
  expect(await store.write(twice)).toBe(true);
  expect(await store.write(twice, { separate: true })).toBe(false);
  const together = [{ separate: true }, {}].map((options) => store.write(twice, options));
  expect(await Promise.all(together)).toEqual([true, true]);
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
