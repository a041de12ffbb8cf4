import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumn, createIndex, createTable } from './tables.ts';

/**
 * Adds the threads of linked channels that are copied into each other, what was written in threads before is not; and which
 * messages' copies are pinned.
 */
export const addLinkedThreads: Migration = {
  async up(db) {
    const columns =
      'platform, space_id, channel_id, thread_channel_id, thread_id, group_id, origin, is_gone integer';
    const key = 'platform, thread_channel_id, thread_id';
    await createTable(db, 'linked_thread', columns, key);
    await createIndex(db, 'linked_thread_by_origin', 'linked_thread', 'origin');
    await addColumn(db, 'mirror', 'pinned', 'integer', 0);
    await addColumn(db, 'channel_watch', 'threads_since_ms', 'bigint', 0);
    await sql`UPDATE channel_watch SET threads_since_ms = ${Date.now()}`.execute(db);
  },
};
