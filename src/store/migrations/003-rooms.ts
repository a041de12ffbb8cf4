import type { Migration } from 'kysely/migration';

export const rooms: Migration = {
  async up(db) {
    await db.schema
      .createTable('room_consent')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('member_id', 'text', (column) => column.notNull())
      .addColumn('is_heard', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('room_consent_key', ['platform', 'space_id', 'member_id'])
      .execute();
  },
};
