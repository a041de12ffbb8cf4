import pg from 'pg';
import { sql } from 'kysely';
import { RELAXED } from '../../../../src/store/writer.ts';
import { describe, expect, it } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { createMirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { onServer } from '../../../fakes/on-server.ts';
import { startPostgres } from '../../../fakes/postgres.ts';
import { arrivalOf, EARLIER, messageOf, PARTITION, HERE } from './support.ts';
import { shared } from '../../../fakes/opened.ts';

const MESSAGES = 400;
const CHANNELS = 20;
/** What was settled leaves the index of open rows only by and by; a lookup that reads all rows reads 200 on average. */
const MOST_OF_ONE_PARTITION = 100;

/**
 * A server without other tests: while a transaction runs in any database of a server, its indexes
 * keep entries of rows that are no more, and each lookup reads them.
 */
const server = shared(() => startPostgres());

/** Entries of its indexes and rows of the table itself that were read, as PostgreSQL counts them. */
const countRead = async (url: string): Promise<number> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ read: string }>(`
      SELECT sum(idx_tup_read) + (SELECT seq_tup_read FROM pg_stat_user_tables WHERE relname = 'inbox')
        AS read FROM pg_stat_user_indexes WHERE relname = 'inbox'`);
    return Number(rows[0]?.read);
  } finally {
    await client.end();
  }
};

/** Number of rows that are read for each of the messages that are handled, in a database of that name. */
const readFor = async (
  database: string,
  handle: (store: Store) => Promise<void>,
): Promise<number> => {
  await onServer(server.urlOf(''), `CREATE DATABASE ${database}`);
  const url = server.urlOf(database);
  const store = await openStore(url);
  await handle(store);
  // What the connections counted is told when they end.
  await store.destroy();
  return (await countRead(url)) / MESSAGES;
};

const channelOf = (id: number) => ({ ...HERE, id: `c${id % CHANNELS}` });

describe('on a PostgreSQL that does not know how many rows there are, a few are read for each message', () => {
  it('that is handled at once', async () => {
    const read = await readFor('at_once', async (store) => {
      const inbox = createInboxStore({ store, now: Date.now });
      const mirrors = createMirrorStore(store, Date.now);
      for (let id = 0; id < MESSAGES; id += 1) {
        const channel = channelOf(id);
        const partition = `test:${channel.id}`;
        await inbox.accept(arrivalOf(messageOf(id, 'hello', channel), { partition }));
        const { rows } = await inbox.claim(partition, 10, EARLIER);
        for (const row of rows) {
          expect(await mirrors.standing(row)).toEqual([]);
          await store.write((db) => inbox.settle(db, row, { state: 'posted' }));
        }
      }
    });
    // Inserting, claiming, looking and settling read the row once each; the index of open rows has some that are no more.
    expect(read).toBeLessThan(15);
  });

  it('whose predecessors were counted when there was one', async () => {
    const read = await readFor('counted', async (store) => {
      const inbox = createInboxStore({ store, now: Date.now });
      await inbox.accept(arrivalOf(messageOf(MESSAGES)));
      await sql`VACUUM ANALYZE inbox`.execute(store);
      for (let id = 0; id < MESSAGES; id += 1) {
        await inbox.accept(arrivalOf(messageOf(id)));
        const { rows } = await inbox.claim(PARTITION, 1, EARLIER);
        for (const row of rows)
          await store.write((db) => inbox.settle(db, row, { state: 'posted' }), RELAXED);
      }
    });
    expect(read).toBeLessThan(MOST_OF_ONE_PARTITION);
  });

  it('that has waited with all others in one partition', async () => {
    const read = await readFor('waited', async (store) => {
      const inbox = createInboxStore({ store, now: Date.now });
      for (let id = 0; id < MESSAGES; id += 1)
        await inbox.accept(arrivalOf(messageOf(id, 'hello', channelOf(id))));
      for (let id = 0; id < MESSAGES; id += 1) {
        const { rows } = await inbox.claim(PARTITION, 1, EARLIER);
        for (const row of rows)
          await store.write((db) => inbox.settle(db, row, { state: 'posted' }));
      }
    });
    expect(read).toBeLessThan(MOST_OF_ONE_PARTITION);
  });
});
