import type { Migration } from 'kysely/migration';

export const openRooms: Migration = {
  async up(db) {
    await db.schema
      .createTable('open_room')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('locale', 'text', (column) => column.notNull())
      .addColumn('is_automatic', 'integer', (column) => column.notNull())
      .addColumn('captions', 'text')
      .addColumn('started_by', 'text')
      .addColumn('informed_of', 'text')
      .addColumn('seen_ms', 'bigint', (column) => column.notNull())
      .addColumn('epoch', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('open_room_key', ['platform', 'space_id'])
      .execute();
    await db.schema
      .createTable('open_room_informed')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('member_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('open_room_informed_key', ['platform', 'space_id', 'member_id'])
      .execute();
  },
};
