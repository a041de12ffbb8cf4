import type { Migration } from 'kysely/migration';

export const below: Migration = {
  async up(db) {
    await db.schema
      .alterTable('channel_watch')
      .addColumn('below', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
