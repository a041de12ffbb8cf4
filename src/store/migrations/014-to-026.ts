import type { Migration } from 'kysely/migration';
import { sql } from 'kysely';
import { slotOf } from '../rows.ts';

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
    await db.schema.createIndex('delivery_received').on('delivery').column('received_ms').execute();
    await db.schema
      .alterTable('inbox')
      .addColumn('version', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
  },
};

const historyGaps: Migration = {
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
    await db.schema
      .alterTable('usage_day')
      .addColumn('chat_tokens', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

const spaceKeys: Migration = {
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

/** Makes room for several processes: leases that expire, hash slots, and numbered changes. */
const hosted: Migration = {
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

/** Adds the time at which the database was opened for the first time after it came back from a backup. */
const restoration: Migration = {
  async up(db) {
    await db.schema
      .createTable('restoration')
      .addColumn('at_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};

/** Makes room for what processes share: rates, and numbers that all of them use. */
const processes: Migration = {
  async up(db) {
    await db.schema
      .createTable('quota')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('used_until_us', 'bigint', (column) => column.notNull())
      .addColumn('granted', 'bigint', (column) => column.notNull())
      .execute();
    await db.schema
      .createTable('agreement')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('value', 'bigint', (column) => column.notNull())
      .execute();
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
    await db.schema
      .createTable('shared_state')
      .addColumn('name', 'text', (column) => column.primaryKey())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('changed_ms', 'bigint', (column) => column.notNull())
      .execute();
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
    await db.schema
      .createIndex('inbox_by_author')
      .on('inbox')
      .columns(['author_id', 'platform'])
      .execute();
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
    await db.schema.createIndex('inbox_by_author').on('inbox').column('author_id').execute();
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
