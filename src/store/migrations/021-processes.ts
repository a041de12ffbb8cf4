import type { Migration } from 'kysely/migration';

/** Makes room for what processes share: rates, and numbers that all of them use. */
export const processes: Migration = {
  async up(db) {
    await db.schema
      .createTable('quota')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('used_until_us', 'bigint', (column) => column.notNull())
      .addColumn('granted', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('agreement')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .execute();
  },
};
