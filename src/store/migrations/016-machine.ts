import type { Migration } from 'kysely/migration';

export const machine: Migration = {
  async up(db) {
    await db.schema
      .createTable('machine')
      .addColumn('boot_id', 'text', (column) => column.notNull().primaryKey())
      .execute();
  },
};
