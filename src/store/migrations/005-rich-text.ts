import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** The text of stored messages was markup and is now a tree: waiting ones are read again. */
export const richText: Migration = {
  async up(db) {
    await sql`UPDATE inbox SET message = NULL WHERE message IS NOT NULL`.execute(db);
  },
};
