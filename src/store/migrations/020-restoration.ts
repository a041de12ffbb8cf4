import type { Migration } from 'kysely/migration';

/** Adds the time at which the database was opened for the first time after it came back from a backup. */
export const restoration: Migration = {
  async up(db) {
    await db.schema
      .createTable('restoration')
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};
