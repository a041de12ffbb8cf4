import type { Migration } from 'kysely/migration';
import { addColumn } from './tables.ts';

/** Adds what moderators chose for a watch beside its languages, as JSON. */
export const watchChoices: Migration = {
  async up(db) {
    await addColumn(db, 'channel_watch', 'choices', 'text', '{}');
  },
};
