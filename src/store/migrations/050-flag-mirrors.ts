import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Finds what flags brought in a space: it is looked for again and again where moderators have it removed. */
export const flagMirrorIndex: Migration = {
  async up(db) {
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX mirror_of_flags ON mirror (source_platform, source_space_id, posted_ms)
      WHERE purpose <> 'watch'
    `.execute(db);
  },
};
