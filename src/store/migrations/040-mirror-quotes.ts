import type { Migration } from 'kysely/migration';
import { addColumn, createIndex } from './tables.ts';

/** Adds the message that a mirror quotes, so that its words go when it is deleted. */
export const mirrorQuotes: Migration = {
  async up(db) {
    await addColumn(db, 'mirror', 'quoted', 'text', '');
    await createIndex(db, 'mirror_by_quoted', 'mirror', 'quoted');
  },
};
