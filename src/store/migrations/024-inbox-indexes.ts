import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * A row is found by its key alone: before PostgreSQL has looked through a table, it takes the smallest index of which it
 * knows the first column, and reads all rows of the platform.
 */
export const inboxIndexes: Migration = {
  async up(db) {
    for (const index of ['inbox_by_author', 'inbox_by_channel'])
      await db.schema.dropIndex(index).execute();
    await db.schema
      .createIndex('inbox_by_author')
      .on('inbox')
      .columns(['author_id', 'platform'])
      .execute();
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_by_channel ON inbox (platform, channel_id, position)
      WHERE purpose = 'watch'
    `.execute(db);
  },
};
