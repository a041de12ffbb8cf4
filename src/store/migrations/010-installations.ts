import type { Migration } from 'kysely/migration';

export const installations: Migration = {
  async up(db) {
    await db.schema
      .createTable('installation')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('installation_key', ['platform', 'space_id'])
      .execute();
  },
};
