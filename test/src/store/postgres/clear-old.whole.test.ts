import { sql } from 'kysely';
import { expect, it } from 'vitest';
import type { Store } from '../../../../src/store/index.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { channelPartition, WATCH } from '../../../../src/store/inbox/row.ts';
import { createOpenRooms } from '../../../../src/store/open-rooms.ts';
import { fillEveryTable } from '../../../fakes/every-table.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { messageOf } from '../../../fakes/command-harness.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';

/** Resolves once `clear` waits for what a transaction of another process has changed, which then ends. */
const duringChange = async (
  other: Store,
  change: (db: Parameters<Parameters<Store['write']>[0]>[0]) => Promise<unknown>,
  clear: () => Promise<void>,
): Promise<void> => {
  const changing = Promise.withResolvers<void>();
  const changed = Promise.withResolvers<void>();
  const ended = other.transaction().execute(async (db) => {
    await change(db);
    changing.resolve();
    await changed.promise;
  });
  await changing.promise;
  const clearing = clear();
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await sql`SELECT 1 FROM pg_locks WHERE NOT granted`.execute(other);
    return rows.length > 0;
  };
  await expect.poll(isWaiting).toBe(true);
  changed.resolve();
  await Promise.all([ended, clearing]);
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

  await duringChange(
    other,
    (db) => db.updateTable('inbox').set({ state: 'waiting' }).execute(),
    () => clearOld(one, { ...NO_HORIZONS, rowsMs: 2_000 }),
  );
  const rows = await one.selectFrom('inbox').select('state').execute();
  expect(rows).toEqual([{ state: 'waiting' }]);
});

it('a mirror that is posted anew while old ones are cleared is kept, with its messages', async () => {
  const url = await makeDatabase();
  const [one, other] = [await openTestStore(url), await openTestStore(url)];
  await fillEveryTable(one, 'old', { posted_ms: 1_000 });
  await duringChange(
    other,
    async (db) => {
      const [mirrors, messages] = [
        await db.deleteFrom('mirror').returningAll().execute(),
        await db.deleteFrom('mirror_message').returningAll().execute(),
      ];
      await db
        .insertInto('mirror')
        .values(mirrors.map((row) => ({ ...row, posted_ms: 3_000 })))
        .execute();
      await db.insertInto('mirror_message').values(messages).execute();
    },
    () => clearOld(one, { ...NO_HORIZONS, rowsMs: 0, mirrorsMs: 2_000 }),
  );
  for (const table of ['mirror', 'mirror_message'] as const)
    expect([table, (await one.selectFrom(table).selectAll().execute()).length]).toEqual([table, 1]);
});

it('leases go once nobody has them, but for those of shared sets, of stored rooms and of now', async () => {
  const store = await openTestStore(await makeDatabase());
  const rows = createOpenRooms(store);
  await rows.save({ platform: 'p', id: 'STORED' }, 1, () => ({
    room: {
      channel: { space: { platform: 'p', id: 'STORED' }, id: 'c' },
      locale: 'en',
      isAutomatic: false,
      captions: undefined,
      informed: undefined,
    },
    seenMs: 1_000,
  }));
  const lease = (name: string, set_name: string, expires_ms: number) => ({
    name,
    set_name,
    owner: 'o',
    epoch: 1,
    expires_ms,
  });
  const soonMs = Date.now() + 60_000;
  await store.write(async (db) => {
    await db.deleteFrom('lease').execute();
    await db
      .insertInto('lease')
      .values([
        lease('room p LEFT', 'room p LEFT', 0),
        lease('room p CRASHED', 'room p CRASHED', 1_000),
        lease('room p STORED', 'room p STORED', 0),
        lease('room p HELD', 'room p HELD', soonMs),
        lease('looks:T1', 'looks:', 0),
        lease('hold group/1:x', 'hold group/1:', 0),
        lease('process:abc', 'process:', 1_000),
        lease('member of slot:abc', 'member of slot:', 1_000),
        lease('slot:7', 'slot:', 0),
      ])
      .execute();
  });
  // This process's clock may be ahead.
  await clearOld(store, { ...NO_HORIZONS, rowsMs: 0, leftMs: soonMs + 60_000 });
  const left = await store.selectFrom('lease').select('name').orderBy('name').execute();
  expect(left.map(({ name }) => name).filter((name) => !/^process:\w{32}$/.test(name))).toEqual([
    'room p HELD',
    'room p STORED',
    'slot:7',
  ]);
});

it('a rate goes once it was not used for long', async () => {
  const store = await openTestStore(await makeDatabase());
  const rate = (name: string, used_until_us: number) => ({ name, used_until_us, granted: 1 });
  await store.write(async (db) => {
    const rates = [rate('unused', 1_999_999), rate('used', 2_000_000)];
    await db.insertInto('quota').values(rates).execute();
  });
  await clearOld(store, { ...NO_HORIZONS, rowsMs: 0, leftMs: 2_000 });
  const left = await store.selectFrom('quota').select('name').execute();
  expect(left).toEqual([{ name: 'used' }]);
});
