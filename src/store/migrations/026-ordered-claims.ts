import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Open rows are read in the order of their index, the purposes of one message included, so that nothing has to be sorted. */
export const orderedClaims: Migration = {
  async up(db) {
    await db.schema.dropIndex('inbox_open').execute();
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (slot, partition_key, written_ms, position, purpose)
      WHERE state = 'waiting'
    `.execute(db);
  },
};
