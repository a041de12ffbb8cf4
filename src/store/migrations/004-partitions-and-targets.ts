import { sql, type Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumn, createIndex, createKeyedTable, createTable } from './tables.ts';

const SOURCE = 'source_platform, source_space_id, source_channel_id, source_id, purpose';
const TARGET = 'target_platform, target_space_id, target_channel_id, target_thread_id';
const SOURCE_KEY = 'source_platform, source_channel_id, source_id, purpose';

const createTables = async (db: Kysely<unknown>): Promise<void> => {
  await createTable(
    db,
    'mirror',
    `${SOURCE}, ${TARGET}, target_parent_id?, ids, handle?, content_hash, posted_ms bigint`,
    `${SOURCE_KEY}, target_platform, target_channel_id, target_thread_id`,
  );
  await createTable(
    db,
    'mirror_message',
    `message_id, ${SOURCE}, ${TARGET}`,
    `target_platform, target_channel_id, message_id, ${SOURCE_KEY}`,
  );
  await createKeyedTable(db, 'lease', 'name', 'owner, epoch bigint');
};

/** Moves the mirrors, whose targets were on the platform and in the space of their source until now. */
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
  await createIndex(db, 'mirror_by_age', 'mirror', 'posted_ms');
  const source = 'source_platform, source_channel_id, source_id';
  await createIndex(db, 'mirror_message_by_source', 'mirror_message', source);
};

/** Gives partitions keys that are unique across platforms, and rows the epoch of their lease. */
const changeInbox = async (db: Kysely<unknown>): Promise<void> => {
  for (const index of ['inbox_open', 'inbox_by_space']) await db.schema.dropIndex(index).execute();
  const inbox = db.schema.alterTable('inbox');
  await inbox.renameColumn('lane', 'partition_key').execute();
  // Existing rows come before all new ones, in the order of their positions.
  for (const name of ['written_ms', 'epoch']) await addColumn(db, 'inbox', name, 'bigint', 0);
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
  await sql`
    CREATE INDEX inbox_dead ON inbox (platform, space_id, position) WHERE state = 'dead'
  `.execute(db);
};

export const partitionsAndTargets: Migration = {
  async up(db) {
    await createTables(db);
    await moveMirrors(db);
    await changeInbox(db);
  },
};
