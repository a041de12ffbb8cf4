import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { slotOf } from '../slots.ts';

/** Makes room for several processes: leases that expire, hash slots, and numbered changes. */
export const hosted: Migration = {
  async up(db) {
    await db.schema
      .alterTable('lease')
      .addColumn('set_name', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await db.schema
      .alterTable('lease')
      .addColumn('expires_ms', 'bigint', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createIndex('lease_by_set')
      .on('lease')
      .columns(['set_name', 'expires_ms'])
      .execute();
    await db.schema
      .createTable('revision')
      .addColumn('topic', 'text', (column) => column.primaryKey())
      .addColumn('revision', 'bigint', (column) => column.notNull())
      .execute();
    for (const [table, key] of [
      ['inbox', 'partition_key'],
      ['delivery', 'order_key'],
    ] as const) {
      await db.schema
        .alterTable(table)
        .addColumn('slot', 'integer', (column) => column.notNull().defaultTo(0))
        .execute();
      const { rows } = await sql<{ value: string }>`
        SELECT DISTINCT ${sql.ref(key)} AS value FROM ${sql.table(table)}`.execute(db);
      for (const { value } of rows)
        await sql`
          UPDATE ${sql.table(table)} SET slot = ${slotOf(value)} WHERE ${sql.ref(key)} = ${value}
        `.execute(db);
    }
    await db.schema.dropIndex('inbox_open').execute();
    // A query uses these indexes only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (slot, partition_key, written_ms, position)
      WHERE state IN ('waiting', 'working')
    `.execute(db);
    await sql`CREATE INDEX delivery_open ON delivery (slot, number) WHERE body IS NOT NULL`.execute(
      db,
    );
  },
};
