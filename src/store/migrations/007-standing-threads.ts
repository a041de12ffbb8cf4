import type { Migration } from 'kysely/migration';

export const standingThreads: Migration = {
  async up(db) {
    await db.schema
      .createTable('standing_thread')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('target_channel_id', 'text', (column) => column.notNull())
      .addColumn('target_thread_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('standing_thread_key', ['platform', 'channel_id', 'language'])
      .execute();
  },
};
