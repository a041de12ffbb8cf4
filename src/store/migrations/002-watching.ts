import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumn, createIndex, createTable } from './tables.ts';

export const watching: Migration = {
  async up(db) {
    await addColumn(db, 'member_setting', 'opted_out', 'integer', 0);
    await createTable(db, 'space_setting', 'platform, space_id, choices', 'platform, space_id');
    await createTable(
      db,
      'usage_day',
      'platform, space_id, day, member_id, characters bigint, audio_ms bigint, messages integer',
      'platform, space_id, day, member_id',
    );
    await createTable(
      db,
      'channel_watch',
      `platform, channel_id, space_id, parent_id?, mode, languages, group_id?,
      transcribes integer, bots integer, since_ms bigint`,
      'platform, channel_id',
    );
    await createTable(
      db,
      'channel_cursor',
      'platform, channel_id, space_id, parent_id?, position',
      'platform, channel_id',
    );
    await createTable(
      db,
      'inbox',
      `platform, channel_id, message_id, purpose, space_id, parent_id?, author_id, lane,
      position, message?, content_hash, revision integer, state, reason?, attempts integer,
      begun integer, due_ms bigint, owner?, lease_until_ms? bigint, changed_ms bigint`,
      'platform, channel_id, message_id, purpose',
    );
    // Few rows are open. A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (platform, lane, position)
      WHERE state IN ('waiting', 'working')
    `.execute(db);
    await createIndex(db, 'inbox_by_space', 'inbox', 'platform, space_id, state');
    await createIndex(db, 'inbox_by_channel', 'inbox', 'platform, channel_id, position');
    await createIndex(db, 'inbox_by_author', 'inbox', 'platform, author_id');
    await createIndex(db, 'inbox_by_age', 'inbox', 'changed_ms');
    await createTable(
      db,
      'copy',
      `platform, source_channel_id, source_id, purpose, target_channel_id, target_space_id,
      target_parent_id?, ids, handle?, content_hash, posted_ms bigint`,
      'platform, source_channel_id, source_id, purpose, target_channel_id',
    );
    await createIndex(db, 'copy_by_age', 'copy', 'posted_ms');
    await createTable(
      db,
      'copy_part',
      'platform, message_id, source_channel_id, source_id, purpose, target_channel_id',
      'platform, message_id, source_channel_id, source_id, purpose',
    );
    await createIndex(
      db,
      'copy_part_by_source',
      'copy_part',
      'platform, source_channel_id, source_id',
    );
  },
};
