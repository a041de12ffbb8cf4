import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

export const watching: Migration = {
  async up(db) {
    await db.schema
      .alterTable('member_setting')
      .addColumn('opted_out', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
    await db.schema
      .createTable('space_setting')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('choices', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('space_setting_key', ['platform', 'space_id'])
      .execute();
    await db.schema
      .createTable('usage_day')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('day', 'text', (column) => column.notNull())
      .addColumn('member_id', 'text', (column) => column.notNull())
      .addColumn('characters', 'bigint', (column) => column.notNull())
      .addColumn('audio_ms', 'bigint', (column) => column.notNull())
      .addColumn('messages', 'integer', (column) => column.notNull())
      .addPrimaryKeyConstraint('usage_day_key', ['platform', 'space_id', 'day', 'member_id'])
      .execute();
    await db.schema
      .createTable('channel_watch')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('parent_id', 'text')
      .addColumn('mode', 'text', (column) => column.notNull())
      .addColumn('languages', 'text', (column) => column.notNull())
      .addColumn('group_id', 'text')
      .addColumn('transcribes', 'integer', (column) => column.notNull())
      .addColumn('bots', 'integer', (column) => column.notNull())
      .addColumn('since_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('channel_watch_key', ['platform', 'channel_id'])
      .execute();
    await db.schema
      .createTable('channel_cursor')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('parent_id', 'text')
      .addColumn('position', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('channel_cursor_key', ['platform', 'channel_id'])
      .execute();
    await db.schema
      .createTable('inbox')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('parent_id', 'text')
      .addColumn('author_id', 'text', (column) => column.notNull())
      .addColumn('lane', 'text', (column) => column.notNull())
      .addColumn('position', 'text', (column) => column.notNull())
      .addColumn('message', 'text')
      .addColumn('content_hash', 'text', (column) => column.notNull())
      .addColumn('revision', 'integer', (column) => column.notNull())
      .addColumn('state', 'text', (column) => column.notNull())
      .addColumn('reason', 'text')
      .addColumn('attempts', 'integer', (column) => column.notNull())
      .addColumn('begun', 'integer', (column) => column.notNull())
      .addColumn('due_ms', 'bigint', (column) => column.notNull())
      .addColumn('owner', 'text')
      .addColumn('lease_until_ms', 'bigint')
      .addColumn('changed_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('inbox_key', ['platform', 'channel_id', 'message_id', 'purpose'])
      .execute();
    // Few rows are open. A query uses this index only if its condition has the same words.
    await sql`
      CREATE INDEX inbox_open ON inbox (platform, lane, position)
      WHERE state IN ('waiting', 'working')
    `.execute(db);
    await db.schema
      .createIndex('inbox_by_space')
      .on('inbox')
      .columns(['platform', 'space_id', 'state'])
      .execute();
    await db.schema
      .createIndex('inbox_by_channel')
      .on('inbox')
      .columns(['platform', 'channel_id', 'position'])
      .execute();
    await db.schema
      .createIndex('inbox_by_author')
      .on('inbox')
      .columns(['platform', 'author_id'])
      .execute();
    await db.schema.createIndex('inbox_by_age').on('inbox').columns(['changed_ms']).execute();
    await db.schema
      .createTable('copy')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('source_channel_id', 'text', (column) => column.notNull())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('target_channel_id', 'text', (column) => column.notNull())
      .addColumn('target_space_id', 'text', (column) => column.notNull())
      .addColumn('target_parent_id', 'text')
      .addColumn('ids', 'text', (column) => column.notNull())
      .addColumn('handle', 'text')
      .addColumn('content_hash', 'text', (column) => column.notNull())
      .addColumn('posted_ms', 'bigint', (column) => column.notNull())
      .addPrimaryKeyConstraint('copy_key', [
        'platform',
        'source_channel_id',
        'source_id',
        'purpose',
        'target_channel_id',
      ])
      .execute();
    await db.schema.createIndex('copy_by_age').on('copy').columns(['posted_ms']).execute();
    await db.schema
      .createTable('copy_part')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('message_id', 'text', (column) => column.notNull())
      .addColumn('source_channel_id', 'text', (column) => column.notNull())
      .addColumn('source_id', 'text', (column) => column.notNull())
      .addColumn('purpose', 'text', (column) => column.notNull())
      .addColumn('target_channel_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('copy_part_key', [
        'platform',
        'message_id',
        'source_channel_id',
        'source_id',
        'purpose',
      ])
      .execute();
    await db.schema
      .createIndex('copy_part_by_source')
      .on('copy_part')
      .columns(['platform', 'source_channel_id', 'source_id'])
      .execute();
  },
};
