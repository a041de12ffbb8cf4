import type { Migration } from 'kysely/migration';
import { addColumn } from './tables.ts';

/** Adds the models that translated a mirror, so that its readers can be told of small ones. */
export const mirrorModels: Migration = {
  async up(db) {
    await addColumn(db, 'mirror', 'models', 'text', '');
  },
};
