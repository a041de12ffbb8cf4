import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { keyOf } from '../../../../src/model/place.ts';
import type { Tenure } from '../../../../src/ports/processes.ts';
import { foreignClaims } from '../../../../src/store/migrations/014-to-026.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { retryAll } from '../../../../src/store/inbox/backlog.ts';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { createOpenRooms } from '../../../../src/store/open-rooms.ts';
import { arrivalOf, messageOf, PARTITION, SPACE } from '../inbox/support.ts';
import { ENGINES, newFolder, tool } from './support.ts';

const [SQLITE, POSTGRES] = ENGINES;

const inboxOf = (store: Store) => createInboxStore({ store, now: () => 1_000 });

const tenureOf = (store: Store, name: string): Promise<Tenure> =>
  store.leases.acquire(name, new AbortController().signal);

/** Claims what is open under a new lease of this start; resolves with the ids of the messages. */
const claimIn = async (store: Store): Promise<readonly string[]> => {
  const tenure = await tenureOf(store, 'slot');
  const { rows } = await inboxOf(store).claim(PARTITION, 10, tenure);
  return rows.map(({ ref }) => ref.id);
};

const roomIn = (id: string) => () => ({
  room: {
    channel: { space: SPACE, id },
    locale: 'en',
    isAutomatic: false,
    captions: undefined,
    informed: undefined,
  },
  seenMs: 1,
});

/** Fills a database in its third start: a dead and a claimed message, and a room. */
const fillInThirdStart = async (url: string): Promise<void> => {
  for (let start = 1; start < 3; start += 1) await (await openStore(url)).destroy();
  await using store = await openStore(url);
  const inbox = inboxOf(store);
  for (const id of [1, 2]) await inbox.accept(arrivalOf(messageOf(id)));
  // A lease is taken again and again, also where epochs count the times.
  let tenure = await tenureOf(store, 'slot');
  for (let times = 0; times < 3; times += 1) {
    await tenure.release();
    tenure = await tenureOf(store, 'slot');
  }
  const { rows } = await inbox.claim(PARTITION, 2, tenure);
  await store.write((db) =>
    inbox.settle(db, rows[0]!, {
      state: 'dead',
      reason: 'internal',
      sentence: { key: 'errors.internal' },
    }),
  );
  await createOpenRooms(store).save(SPACE, tenure.epoch, roomIn('before'));
  await tenure.release();
};

const moves = {
  'restored from a backup': async (from: string, to: string) => {
    const file = join(newFolder(), 'backup.db');
    await tool(from, ['backup', file]);
    await tool(to, ['restore', file]);
  },
  copied: async (from: string, to: string) => void (await tool(from, ['copy', from, to])),
};

const PAIRS = [SQLITE, POSTGRES].flatMap((from) =>
  [SQLITE, POSTGRES].map((to) => ({ from, to, name: `${from.engine} to ${to.engine}` })),
);

describe.each(Object.entries(moves))('a database that was %s', (_, move) => {
  it.each(PAIRS)(
    'from $name has its open and its revived messages claimed, and its rooms changed, in its first start',
    async ({ from, to }) => {
      const [source, target] = [await from.make(), await to.make()];
      await fillInThirdStart(source);
      await move(source, target);
      await using store = await openStore(target);
      await retryAll(store, SPACE);
      expect(await claimIn(store)).toEqual(['1', '2']);
      const rooms = createOpenRooms(store);
      const tenure = await tenureOf(store, 'room');
      await rooms.save(SPACE, tenure.epoch, roomIn('after'));
      expect((await rooms.of(SPACE))?.room.channel.id).toBe('after');
    },
  );
});

it('a dead message that is revived can be claimed by a tenure whose epoch is lower', async () => {
  const url = await SQLITE.make();
  await fillInThirdStart(url);
  await using store = await openStore(url);
  await retryAll(store, SPACE);
  const { rows } = await inboxOf(store).claim(PARTITION, 1, { epoch: 1 });
  expect(rows.map(({ ref }) => ref.id)).toEqual(['1']);
});

describe.each(ENGINES)('a database on $engine that an earlier version restored', ({ make }) => {
  /** Has the next start of a database run the migration again, and those after it. */
  const asBefore = async (url: string, also: (store: Store) => Promise<unknown>): Promise<void> => {
    await using store = await openStore(url);
    await also(store);
    await sql`ALTER TABLE mirror DROP COLUMN models`.execute(store);
    await sql`DROP INDEX usage_by_member`.execute(store);
    await sql`DROP TABLE open_answer`.execute(store);
    await sql`DROP TABLE pending_import`.execute(store);
    await sql`ALTER TABLE channel_watch DROP COLUMN choices`.execute(store);
    await sql`DROP TABLE link_request`.execute(store);
    await sql`DROP TABLE glossary_proposal`.execute(store);
    await sql`DROP INDEX inbox_over_limit`.execute(store);
    await sql`DROP INDEX mirror_of_flags`.execute(store);
    await sql`DROP INDEX inbox_untold`.execute(store);
    await sql`ALTER TABLE inbox DROP COLUMN untold`.execute(store);
    await sql`DROP TABLE blocked_author`.execute(store);
    await sql`DROP TABLE audit_entry`.execute(store);
    await sql`DROP TABLE setup`.execute(store);
    await sql`DROP TABLE watch_undo`.execute(store);
    await sql`DROP INDEX channel_watch_of_group`.execute(store);
    await sql`DROP INDEX channel_watch_of_space`.execute(store);
    await sql`DROP TABLE linked_thread`.execute(store);
    await sql`DROP TABLE copied_reaction`.execute(store);
    await sql`DROP INDEX channel_cursor_of_parent`.execute(store);
    await sql`DROP INDEX history_gap_of_parent`.execute(store);
    await sql`DROP INDEX space_setting_of_flags`.execute(store);
    await sql`DROP INDEX mirror_by_quoted`.execute(store);
    await sql`ALTER TABLE mirror DROP COLUMN quoted`.execute(store);
    await sql`ALTER TABLE mirror DROP COLUMN pinned`.execute(store);
    await sql`ALTER TABLE channel_watch DROP COLUMN threads_since_ms`.execute(store);
    await sql`ALTER TABLE link_invite DROP COLUMN made_by`.execute(store);
    await sql`ALTER TABLE link_invite DROP COLUMN made_by_name`.execute(store);
    await sql`ALTER TABLE member_setting DROP COLUMN answer_mentions`.execute(store);
    await sql`DELETE FROM kysely_migration WHERE name >= '025-foreign-claims'`.execute(store);
  };

  it('has its open messages claimed, and its rooms changed, after the upgrade', async () => {
    const url = await make();
    await fillInThirdStart(url);
    await asBefore(url, (store) =>
      store.write(async (db) => {
        await db
          .updateTable('inbox')
          .set({ epoch: 2 ** 50 })
          .execute();
        await db
          .updateTable('open_room')
          .set({ epoch: 2 ** 50 })
          .execute();
      }),
    );
    await using store = await openStore(url);
    expect(await claimIn(store)).toEqual(['2']);
    const rooms = createOpenRooms(store);
    await rooms.save(SPACE, (await tenureOf(store, 'room')).epoch, roomIn('after'));
    expect((await rooms.of(SPACE))?.room.channel.id).toBe('after');
  });
});

it('an upgrade leaves claims to the processes that work on PostgreSQL meanwhile', async () => {
  const url = await POSTGRES.make();
  await using store = await openStore(url);
  await inboxOf(store).accept(arrivalOf(messageOf(1)));
  await createOpenRooms(store).save(SPACE, 4, roomIn('here'));
  const { slot } = await store.selectFrom('inbox').select('slot').executeTakeFirstOrThrow();
  const names = [`slot:${slot}`, `room ${keyOf(SPACE)}`];
  await store.write(async (db) => {
    await db.updateTable('inbox').set({ epoch: 4 }).execute();
    for (const name of names)
      await db
        .insertInto('lease')
        .values({ name, set_name: name, owner: 'o', epoch: 4, expires_ms: 0 })
        .execute();
  });
  await foreignClaims.up(store);
  for (const table of ['inbox', 'open_room'] as const)
    expect(await store.selectFrom(table).select('epoch').execute()).toEqual([{ epoch: 4 }]);
});
