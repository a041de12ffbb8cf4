import { sql, type CreateTableBuilder, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

const SOURCE = ['source_platform', 'source_space_id', 'source_channel_id', 'source_id', 'purpose'];
const TARGET = ['target_platform', 'target_space_id', 'target_channel_id', 'target_thread_id'];

/** Adds text columns that are never null. */
const withTexts = (
  table: CreateTableBuilder<string, string>,
  columns: readonly string[],
): CreateTableBuilder<string, string> => {
  let built = table;
  for (const name of columns) built = built.addColumn(name, 'text', (column) => column.notNull());
  return built;
};

const createTables = async (db: Kysely<unknown>): Promise<void> => {
  await withTexts(db.schema.createTable('mirror'), [...SOURCE, ...TARGET])
    .addColumn('target_parent_id', 'text')
    .addColumn('ids', 'text', (column) => column.notNull())
    .addColumn('handle', 'text')
    .addColumn('content_hash', 'text', (column) => column.notNull())
    .addColumn('posted_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('mirror_key', [
      'source_platform',
      'source_channel_id',
      'source_id',
      'purpose',
      'target_platform',
      'target_channel_id',
      'target_thread_id',
    ])
    .execute();
  await withTexts(db.schema.createTable('mirror_message'), ['message_id', ...SOURCE, ...TARGET])
    .addPrimaryKeyConstraint('mirror_message_key', [
      'target_platform',
      'target_channel_id',
      'message_id',
      'source_platform',
      'source_channel_id',
      'source_id',
      'purpose',
    ])
    .execute();
  await db.schema
    .createTable('lease')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('epoch', 'bigint', (column) => column.notNull())
    .execute();
};

/**
 * Moves the mirrors, whose targets were on the platform and in the space of their source until now.
 */
const moveMirrors = async (db: Kysely<unknown>): Promise<void> => {
  await sql`
    INSERT INTO mirror (source_platform, source_space_id, source_channel_id, source_id, purpose,
      target_platform, target_space_id, target_channel_id, target_thread_id, target_parent_id,
      ids, handle, content_hash, posted_ms)
    SELECT platform, target_space_id, source_channel_id, source_id, purpose,
      platform, target_space_id, target_channel_id, '', target_parent_id,
      ids, handle, content_hash, posted_ms FROM copy
  `.execute(db);
  await sql`
    INSERT INTO mirror_message (message_id, source_platform, source_space_id, source_channel_id, source_id,
      purpose, target_platform, target_space_id, target_channel_id, target_thread_id)
    SELECT part.message_id, part.platform, copy.target_space_id, part.source_channel_id, part.source_id,
      part.purpose, part.platform, copy.target_space_id, part.target_channel_id, ''
    FROM copy_part AS part JOIN copy ON copy.platform = part.platform
      AND copy.source_channel_id = part.source_channel_id AND copy.source_id = part.source_id
      AND copy.purpose = part.purpose AND copy.target_channel_id = part.target_channel_id
  `.execute(db);
  for (const table of ['copy', 'copy_part']) await db.schema.dropTable(table).execute();
  await db.schema.createIndex('mirror_by_age').on('mirror').columns(['posted_ms']).execute();
  await db.schema
    .createIndex('mirror_message_by_source')
    .on('mirror_message')
    .columns(['source_platform', 'source_channel_id', 'source_id'])
    .execute();
};

/** Gives partitions keys that are unique across platforms, and rows the epoch of their lease. */
const changeInbox = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema.dropIndex('inbox_open').execute();
  const inbox = db.schema.alterTable('inbox');
  await inbox.renameColumn('lane', 'partition_key').execute();
  // Existing rows come before all new ones, in the order of their positions.
  for (const name of ['written_ms', 'epoch'])
    await inbox.addColumn(name, 'bigint', (column) => column.notNull().defaultTo(0)).execute();
  for (const name of ['owner', 'lease_until_ms']) await inbox.dropColumn(name).execute();
  await sql`
    UPDATE inbox SET partition_key = platform || ':' || partition_key
    WHERE state IN ('waiting', 'working') AND partition_key NOT LIKE 'group:%'
  `.execute(db);
  // Few rows are open. A query uses this index only if its condition has the same words.
  await sql`
    CREATE INDEX inbox_open ON inbox (partition_key, written_ms, position)
    WHERE state IN ('waiting', 'working')
  `.execute(db);
};

export const partitionsAndTargets: Migration = {
  async up(db) {
    await createTables(db);
    await moveMirrors(db);
    await changeInbox(db);
  },
};
