import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { clearOld } from '../../../../src/store/clear-old.ts';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { channelPartition, WATCH } from '../../../../src/store/inbox/row.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { messageOf } from '../../../fakes/command-harness.ts';

const HORIZONS = {
  mirrorsMs: 0,
  deliveriesMs: 0,
  roomsMs: 0,
  usageMs: 0,
  leftMs: 0,
  statesMs: 0,
};

it('a message that changes while old ones are cleared is kept', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openTestStore(url), await openTestStore(url)];
  const message = messageOf('hello');
  const partition = channelPartition(message.ref.channel);
  const inbox = createInboxStore({ store: one, now: () => 1_000 });
  await inbox.accept({ message, purpose: WATCH, partition, writtenMs: 1_000 });
  await one.write(async (db) => {
    await db.updateTable('inbox').set({ state: 'posted' }).execute();
  });

  const changing = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const change = other.transaction().execute(async (db) => {
    await db.updateTable('inbox').set({ state: 'waiting' }).execute();
    changing.resolve();
    await changed.promise;
  });
  await changing.promise;
  const clearing = clearOld(one, { ...HORIZONS, rowsMs: 2_000 });
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted`.execute(other);
    return rows.length > 0;
  };
  await expect.poll(isWaiting).toBe(true);
  changed.resolve();
  await Promise.all([change, clearing]);
  const rows = await one.selectFrom('inbox').select('state').execute();
  expect(rows).toEqual([{ state: 'waiting' }]);
});
