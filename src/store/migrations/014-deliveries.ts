import type { Migration } from 'kysely/migration';

/** Adds the events that wait to be handled, and the versions by which old states of a message are known. */
export const deliveries: Migration = {
  async up(db) {
    await db.schema
      .createTable('delivery')
      .addColumn('number', 'integer', (column) => column.primaryKey().autoIncrement())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('id', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('order_key', 'text', (column) => column.notNull())
      .addColumn('author_id', 'text')
      .addColumn('body', 'text')
      .addColumn('received_ms', 'integer', (column) => column.notNull())
      .addUniqueConstraint('delivery_id', ['platform', 'id'])
      .execute();
    await db.schema.createIndex('delivery_received').on('delivery').column('received_ms').execute();
    await db.schema
      .alterTable('inbox')
      .addColumn('version', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  },
};
