import type { Migration } from 'kysely/migration';

/** Makes room for what processes know together: the pace of each endpoint of the service. */
export const sharedStates: Migration = {
  async up(db) {
    await db.schema
      .createTable('shared_state')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('changed_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};
