import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { openStore } from '../../../../src/store/index.ts';
import { glossaryAndSettings, rooms } from '../../../../src/store/migrations/001-to-013.ts';
import { watching } from '../../../../src/store/migrations/002-watching.ts';
import { createMirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { databaseAfter } from './support.ts';

const SPACE = { platform: 'test', id: 's' };
const THERE = { space: SPACE, id: 'to', parentId: 'above' };
const SOURCE = { channel: { space: SPACE, id: 'from' }, id: '1' };

const EARLIER = {
  '001-glossary-and-settings': glossaryAndSettings,
  '002-watching': watching,
  '003-rooms': rooms,
};

/** A database as it was before the migration, with one mirror in two messages and three rows. */
const earlierDatabase = (): Promise<string> =>
  databaseAfter(EARLIER, async (db) => {
    await sql`
      INSERT INTO copy VALUES ('test', 'from', '1', 'watch', 'to', 's', 'above', '["7","8"]', 'h', 'x', 5)
    `.execute(db);
    for (const id of ['7', '8'])
      await sql`INSERT INTO copy_part VALUES ('test', ${id}, 'from', '1', 'watch', 'to')`.execute(
        db,
      );
    const row = (id: string, lane: string, state: string, owner: string | null) => sql`
      INSERT INTO inbox VALUES ('test', 'from', ${id}, 'watch', 's', NULL, 'ada', ${lane}, ${`p${id}`}, NULL,
        'x', 1, ${state}, NULL, 0, 0, 0, ${owner}, NULL, 5)
    `;
    await row('1', 'channel:from', 'done', null).execute(db);
    await row('2', 'channel:from', 'working', 'somebody').execute(db);
    await row('3', 'group:g', 'waiting', null).execute(db);
  });

describe('a database from before this migration', () => {
  it('keeps its mirrors, whose targets were where their source is', async () => {
    await using store = await openStore(await earlierDatabase());
    const mirrors = createMirrorStore(store, () => 5);
    const key = { ref: SOURCE, purpose: WATCH };
    expect(await mirrors.of(key)).toEqual([
      {
        target: { channel: THERE },
        posted: { channel: THERE, ids: ['7', '8'], handle: 'h' },
        contentHash: 'x',
      },
    ]);
    expect(await mirrors.sourceOf({ channel: THERE, id: '8' })).toMatchObject({
      ref: { id: '1' },
      purpose: WATCH,
    });
  });

  it('keeps its rows, and the open ones in a partition of one platform or of their group', async () => {
    await using store = await openStore(await earlierDatabase());
    const rows = store.selectFrom('inbox').select(['message_id', 'partition_key', 'epoch']);
    expect(await rows.orderBy('message_id').execute()).toEqual([
      { message_id: '1', partition_key: 'channel:from', epoch: 0 },
      { message_id: '2', partition_key: 'test:channel:from', epoch: 0 },
      { message_id: '3', partition_key: 'group:g', epoch: 0 },
    ]);
  });
});
