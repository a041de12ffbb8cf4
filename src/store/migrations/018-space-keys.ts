import type { Migration } from 'kysely/migration';

export const spaceKeys: Migration = {
  async up(db) {
    await db.schema
      .createTable('space_key')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addColumn('set_by', 'text')
      .addColumn('set_by_name', 'text')
      .addColumn('set_ms', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('space_key_key', ['platform', 'space_id'])
      .execute();
  },
};
