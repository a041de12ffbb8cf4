import type { Migration } from 'kysely/migration';
import { createIndex } from './tables.ts';

/** Finds the watches of a group, and those of a space: after each change every process reads what it may have touched. */
export const watchIndexes: Migration = {
  async up(db) {
    await createIndex(db, 'channel_watch_of_group', 'channel_watch', 'group_id');
    await createIndex(db, 'channel_watch_of_space', 'channel_watch', 'platform, space_id');
  },
};
