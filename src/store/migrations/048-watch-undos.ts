import type { Migration } from 'kysely/migration';
import { createKeyedTable } from './tables.ts';

/** Adds what sets back what was turned off of auto-translate a moment ago. */
export const addWatchUndos: Migration = {
  async up(db) {
    const columns = 'platform, space_id, watches, mixes_ages integer, of_rules integer';
    await createKeyedTable(db, 'watch_undo', 'id', `${columns}, expires_ms bigint`);
  },
};
