import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Open rows are read in the order of their index, the purposes of one message included, so that nothing has to be sorted. No
 * index but the key has the platform: of a table that it knows as small, PostgreSQL looks rows up in any index that has a
 * column of their key, and reads all of it.
 */
export const keyLookups: Migration = {
  async up(db) {
    for (const index of ['inbox_open', 'inbox_by_author'])
      await db.schema.dropIndex(index).execute();
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (slot, partition_key, written_ms, position, purpose)
      WHERE state = 'waiting'
    `.execute(db);
    await db.schema.createIndex('inbox_by_author').on('inbox').column('author_id').execute();
  },
};
