import pg from 'pg';
import { expect, it } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore } from '../../../../src/store/index.ts';
import { createMirrorStore } from '../../../../src/store/mirrors.ts';
import { makeDatabase } from '../../../fakes/database.ts';
import { arrivalOf, EARLIER, HERE, messageOf } from './support.ts';

const MESSAGES = 400;
const CHANNELS = 20;

/** Rows of the table that were read, by indexes or without, as PostgreSQL counts them. */
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

it('reads a few rows for each message, before PostgreSQL knows how many there are', async () => {
  const url = await makeDatabase();
  const store = await openStore(url);
  const inbox = createInboxStore({ store, now: Date.now });
  const mirrors = createMirrorStore(store, Date.now);
  for (let id = 0; id < MESSAGES; id += 1) {
    const channel = { ...HERE, id: `c${id % CHANNELS}` };
    const partition = `test:${channel.id}`;
    await inbox.accept(arrivalOf(messageOf(id, 'hello', channel), { partition }));
    const { rows } = await inbox.claim(partition, 10, EARLIER);
    for (const row of rows) {
      expect(await mirrors.standing(row)).toEqual([]);
      await store.write((db) => inbox.settle(db, row, { state: 'posted' }));
    }
  }
  await store.destroy();
  // Inserting, claiming, looking and settling read the row once each; the index of open rows has some that are no more.
  expect((await countRead(url)) / MESSAGES).toBeLessThan(15);
});
