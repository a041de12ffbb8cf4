import type { Migration } from 'kysely/migration';
import { sql } from 'kysely';

export const glossaryAndSettings: Migration = {
  async up(db) {
    await db.schema
      .createTable('glossary_term')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('term_key', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('term', 'text', (column) => column.notNull())
      .addColumn('translation', 'text')
      .addPrimaryKeyConstraint('glossary_term_key', [
        'platform',
        'space_id',
        'term_key',
        'language',
      ])
      .execute();
    await db.schema
      .createTable('member_setting')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('member_id', 'text', (column) => column.notNull())
      .addColumn('language', 'text')
      .addColumn('voice_id', 'text')
      .addPrimaryKeyConstraint('member_setting_key', ['platform', 'member_id'])
      .execute();
  },
};

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

/** The text of stored messages was markup and is now a tree: waiting ones are read again. */
const readAgain: Migration = {
  async up(db) {
    await sql`UPDATE inbox SET message = NULL WHERE message IS NOT NULL`.execute(db);
  },
};

const openRooms: Migration = {
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

const standingThreads: Migration = {
  async up(db) {
    await db.schema
      .createTable('standing_thread')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('channel_id', 'text', (column) => column.notNull())
      .addColumn('language', 'text', (column) => column.notNull())
      .addColumn('target_channel_id', 'text', (column) => column.notNull())
      .addColumn('target_thread_id', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('standing_thread_key', ['platform', 'channel_id', 'language'])
      .execute();
  },
};

/** Adds the sentence that says why a message could not be translated. */
const reasons: Migration = {
  async up(db) {
    await db.schema.alterTable('inbox').addColumn('sentence', 'text').execute();
  },
};

const installations: Migration = {
  async up(db) {
    await db.schema
      .createTable('installation')
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('secret', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('installation_key', ['platform', 'space_id'])
      .execute();
  },
};

const linkInvites: Migration = {
  async up(db) {
    await db.schema
      .createTable('link_invite')
      .addColumn('code_hash', 'text', (column) => column.primaryKey())
      .addColumn('platform', 'text', (column) => column.notNull())
      .addColumn('space_id', 'text', (column) => column.notNull())
      .addColumn('watch', 'text', (column) => column.notNull())
      .addColumn('expires_ms', 'integer', (column) => column.notNull())
      .execute();
  },
};

/** Adds the space to the rows that did not name it, so that they can be deleted with it. */
const spaceColumns: Migration = {
  async up(db) {
    await db.schema.alterTable('member_setting').addColumn('space_id', 'text').execute();
    await db.schema
      .alterTable('standing_thread')
      .addColumn('space_id', 'text', (column) => column.notNull().defaultTo(''))
      .execute();
    await sql`
      UPDATE standing_thread SET space_id = coalesce((
        SELECT space_id FROM channel_watch
        WHERE channel_watch.platform = standing_thread.platform
          AND channel_watch.channel_id = standing_thread.channel_id
      ), '')`.execute(db);
    // Threads of channels without a watch; they are found again by their name.
    await sql`DELETE FROM standing_thread WHERE space_id = ''`.execute(db);
  },
};

const below: Migration = {
  async up(db) {
    await db.schema
      .alterTable('channel_watch')
      .addColumn('below', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};

/** The migrations of this file, by their names. */
export const MIGRATIONS_001_TO_013: Readonly<Record<string, Migration>> = {
  '001-glossary-and-settings': glossaryAndSettings,
  '003-rooms': rooms,
  '005-rich-text': readAgain,
  '006-open-rooms': openRooms,
  '007-standing-threads': standingThreads,
  '008-reasons': reasons,
  '010-installations': installations,
  '011-link-invites': linkInvites,
  '012-space-columns': spaceColumns,
  '013-below': below,
};
