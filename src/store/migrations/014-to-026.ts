import type { Migration } from 'kysely/migration';
import { sql } from 'kysely';
import { slotOf } from '../rows.ts';
import { addColumn, createIndex, createKeyedTable, createTable, withColumns } from './tables.ts';

/** Adds the events that wait to be handled, and the versions by which old states of a message are known. */
const deliveries: Migration = {
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
    await createIndex(db, 'delivery_received', 'delivery', 'received_ms');
    await addColumn(db, 'inbox', 'version', 'text', '');
  },
};

const historyGaps: Migration = {
  async up(db) {
    await createTable(
      db,
      'history_gap',
      'platform, channel_id, from_ms integer, space_id, parent_id?, until_ms integer, reason',
      'platform, channel_id, from_ms',
    );
  },
};

const machine: Migration = {
  async up(db) {
    await db.schema
      .createTable('machine')
      .addColumn('boot_id', 'text', (column) => column.notNull().primaryKey())
      .execute();
  },
};

/** Adds the tokens of the language model to what is counted per day. */
const chatTokens: Migration = {
  async up(db) {
    await addColumn(db, 'usage_day', 'chat_tokens', 'integer', 0);
  },
};

const spaceKeys: Migration = {
  async up(db) {
    await createTable(
      db,
      'space_key',
      'platform, space_id, secret, set_by?, set_by_name?, set_ms integer',
      'platform, space_id',
    );
  },
};

/** Makes room for several processes: leases that expire, hash slots, and numbered changes. */
const hosted: Migration = {
  async up(db) {
    await addColumn(db, 'lease', 'set_name', 'text', '');
    await addColumn(db, 'lease', 'expires_ms', 'bigint', 0);
    await createIndex(db, 'lease_by_set', 'lease', 'set_name, expires_ms');
    await createKeyedTable(db, 'revision', 'topic', 'revision bigint');
    for (const [table, key] of [
      ['inbox', 'partition_key'],
      ['delivery', 'order_key'],
    ] as const) {
      await addColumn(db, table, 'slot', 'integer', 0);
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

/** Adds the time at which the database was opened for the first time after it came back from a backup. */
const restoration: Migration = {
  async up(db) {
    await withColumns(db.schema.createTable('restoration'), 'at_ms bigint').execute();
  },
};

/** Makes room for what processes share: rates, and numbers that all of them use. */
const processes: Migration = {
  async up(db) {
    await createKeyedTable(db, 'quota', 'name', 'used_until_us bigint, granted bigint');
    await createKeyedTable(db, 'agreement', 'name', 'value bigint');
  },
};

/** A claim changes no column of an index any more: a row that is being worked on waits as well. */
const claims: Migration = {
  async up(db) {
    await sql`UPDATE inbox SET state = 'waiting' WHERE state = 'working'`.execute(db);
    await db.schema.dropIndex('inbox_open').execute();
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (slot, partition_key, written_ms, position)
      WHERE state = 'waiting'
    `.execute(db);
  },
};

/** Makes room for what processes know together: the pace of each endpoint of the service. */
const sharedStates: Migration = {
  async up(db) {
    await createKeyedTable(db, 'shared_state', 'name', 'state, changed_ms bigint');
  },
};

/**
 * A row is found by its key alone: before PostgreSQL has looked through a table, it takes the smallest index of which it
 * knows the first column, and reads all rows of the platform.
 */
const inboxIndexes: Migration = {
  async up(db) {
    for (const index of ['inbox_by_author', 'inbox_by_channel'])
      await db.schema.dropIndex(index).execute();
    await createIndex(db, 'inbox_by_author', 'inbox', 'author_id, platform');
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_by_channel ON inbox (platform, channel_id, position)
      WHERE purpose = 'watch'
    `.execute(db);
  },
};

/**
 * Drops claims of another database, which earlier versions left in one that was restored or copied: their epochs are larger
 * than those of the leases here, so that nobody could claim the rows. Claims of processes that work meanwhile stay.
 */
export const foreignClaims: Migration = {
  async up(db) {
    await sql`UPDATE inbox SET epoch = 0 WHERE state = 'waiting' AND epoch > coalesce(
      (SELECT lease.epoch FROM lease WHERE lease.name = 'slot:' || inbox.slot), 0)`.execute(db);
    await sql`UPDATE open_room SET epoch = 0 WHERE epoch > coalesce(
      (SELECT lease.epoch FROM lease
        WHERE lease.name = 'room ' || open_room.platform || ' ' || open_room.space_id), 0)`.execute(
      db,
    );
  },
};

/**
 * Open rows are read in the order of their index, the purposes of one message included, so that nothing has to be sorted. No
 * index but the key has the platform: of a table that it knows as small, PostgreSQL looks rows up in any index that has a
 * column of their key, and reads all of it.
 */
const keyLookups: Migration = {
  async up(db) {
    for (const index of ['inbox_open', 'inbox_by_author'])
      await db.schema.dropIndex(index).execute();
    // A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (slot, partition_key, written_ms, position, purpose)
      WHERE state = 'waiting'
    `.execute(db);
    await createIndex(db, 'inbox_by_author', 'inbox', 'author_id');
  },
};

/** The migrations of this file, by their names. */
export const MIGRATIONS_014_TO_026: Readonly<Record<string, Migration>> = {
  '014-deliveries': deliveries,
  '015-history-gaps': historyGaps,
  '016-machine': machine,
  '017-chat-tokens': chatTokens,
  '018-space-keys': spaceKeys,
  '019-hosted': hosted,
  '020-restoration': restoration,
  '021-processes': processes,
  '022-claims': claims,
  '023-shared-states': sharedStates,
  '024-inbox-indexes': inboxIndexes,
  '025-foreign-claims': foreignClaims,
  '026-key-lookups': keyLookups,
};
