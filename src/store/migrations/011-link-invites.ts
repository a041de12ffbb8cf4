import type { Migration } from 'kysely/migration';

export const linkInvites: Migration = {
  async up(db) {
    await db.schema
      .createTable('link_invite')
      .addColumn('code_hash', 'text', (column) => column.primaryKey())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('watch', 'text', (column) => column.notNull())
      .addColumn('expires_ms', 'integer', (column) => column.notNull())
      .execute();
  },
};
