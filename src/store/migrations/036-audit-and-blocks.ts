import type { Migration } from 'kysely/migration';
import { createIndex, createKeyedTable, createTable } from './tables.ts';

/** Adds the people whose copies a space does not show, and what was changed of its links and settings by whom. */
export const addAuditAndBlocks: Migration = {
  async up(db) {
    await createTable(
      db,
      'blocked_author',
      'platform, space_id, author_hash, author_name?, is_ban bigint, since_ms bigint',
      'platform, space_id, author_hash',
    );
    const columns =
      'platform, space_id, changed_by?, changed_by_name?, what, channel_id?, about_hash?, before?, after?, at_ms bigint';
    await createKeyedTable(db, 'audit_entry', 'id', columns);
    await createIndex(db, 'audit_of_space', 'audit_entry', 'platform, space_id, at_ms');
  },
};
