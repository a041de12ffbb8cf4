import type { Migration } from 'kysely/migration';

export const historyGaps: Migration = {
  async up(db) {
    await db.schema
      .createTable('history_gap')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('from_ms', 'integer', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('parent_id', 'text')
      .addColumn('until_ms', 'integer', (column) => column.notNull())
      .addColumn('reason', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('history_gap_key', ['platform', 'channel_id', 'from_ms'])
      .execute();
  },
};
