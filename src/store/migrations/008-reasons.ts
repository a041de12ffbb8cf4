import type { Migration } from 'kysely/migration';

/** Adds the sentence that says why a message could not be translated. */
export const reasons: Migration = {
  async up(db) {
    await db.schema.alterTable('inbox').addColumn('sentence', 'text').execute();
  },
};
