import type { Migration } from 'kysely/migration';
import { createIndex, createTable } from './tables.ts';

/** Adds what is known of people's reactions elsewhere, which a message of linked channels shows. */
export const addCopiedReactions: Migration = {
  async up(db) {
    const columns =
      'platform, space_id, channel_id, message_id, emoji, people, shown integer, changed_ms bigint';
    const key = 'platform, channel_id, message_id, emoji';
    await createTable(db, 'copied_reaction', columns, key);
    await createIndex(db, 'copied_reaction_by_age', 'copied_reaction', 'changed_ms');
  },
};
