import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds the messages of a space that a daily limit left out, whose number `/status` says. */
export const overLimitIndex: Migration = {
  async up(db) {
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_over_limit ON inbox (platform, space_id, changed_ms)
      WHERE state = 'skipped' AND reason = 'daily-limit'
    `.execute(db);
  },
};
