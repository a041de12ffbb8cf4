import type { Migration } from 'kysely/migration';
import { createIndex } from './tables.ts';

/** Finds the use of one person in all spaces: their limits hold over all of them together. */
export const usageByMember: Migration = {
  async up(db) {
    await createIndex(db, 'usage_by_member', 'usage_day', 'platform, member_id, day');
  },
};
