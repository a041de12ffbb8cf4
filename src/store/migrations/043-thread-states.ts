import type { Migration } from 'kysely/migration';
import { addColumn } from './tables.ts';

/** Adds what a thread of linked channels was last known as, by which our own changes of it are told from people's. */
export const threadStates: Migration = {
  async up(db) {
    await addColumn(db, 'linked_thread', 'state', 'text', '');
  },
};
