import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A claim changes no column of an index any more: a row that is being worked on waits as well. */
export const claims: Migration = {
  async up(db) {
    await sql`UPDATE inbox SET state = 'waiting' WHERE state = 'working'`.execute(db);
    await db.schema.dropIndex('inbox_open').execute();
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (slot, partition_key, written_ms, position)
      WHERE state = 'waiting'
    `.execute(db);
  },
};
