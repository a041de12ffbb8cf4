import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumn } from './tables.ts';

/** Adds what is still to be told: messages that were given up, and accepted proposals for the glossary. */
export const untold: Migration = {
  async up(db) {
    await addColumn(db, 'inbox', 'untold', 'integer', 0);
    // A query uses this index only if its condition has the same words.
    await sql`CREATE INDEX inbox_untold ON inbox (changed_ms) WHERE untold > 0`.execute(db);
    await addColumn(db, 'glossary_proposal', 'accepted', 'integer', 0);
  },
};
