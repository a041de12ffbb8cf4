import type { Migration } from 'kysely/migration';
import { createKeyedTable } from './tables.ts';

/** Adds what moderators choose in the wizard, and what was made of it. */
export const addSetups: Migration = {
  async up(db) {
    const columns = 'platform, space_id, setup, is_begun integer, since_ms bigint';
    await createKeyedTable(db, 'setup', 'id', columns);
  },
};
