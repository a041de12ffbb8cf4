import type { Migration } from 'kysely/migration';
import { createKeyedTable } from './tables.ts';

/** Keeps the files of imports until a moderator has seen what they would write. */
export const addPendingImports: Migration = {
  async up(db) {
    const columns = 'platform, space_id, author_id, place, language?, file, since_ms bigint';
    await createKeyedTable(db, 'pending_import', 'id', columns);
  },
};
