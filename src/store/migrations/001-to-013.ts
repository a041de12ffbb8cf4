import type { Migration } from 'kysely/migration';
import { sql } from 'kysely';
import { addColumn, createKeyedTable, createTable } from './tables.ts';

export const glossaryAndSettings: Migration = {
  async up(db) {
    await createTable(
      db,
      'glossary_term',
      'platform, space_id, term_key, language, term, translation?',
      'platform, space_id, term_key, language',
    );
    await createTable(
      db,
      'member_setting',
      'platform, member_id, language?, voice_id?',
      'platform, member_id',
    );
  },
};

export const rooms: Migration = {
  async up(db) {
    await createTable(
      db,
      'room_consent',
      'platform, space_id, member_id, is_heard integer',
      'platform, space_id, member_id',
    );
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
    await createTable(
      db,
      'open_room',
      `platform, space_id, channel_id, locale, is_automatic integer, captions?, started_by?,
      informed_of?, seen_ms bigint, epoch bigint`,
      'platform, space_id',
    );
    await createTable(
      db,
      'open_room_informed',
      'platform, space_id, member_id',
      'platform, space_id, member_id',
    );
  },
};

const standingThreads: Migration = {
  async up(db) {
    await createTable(
      db,
      'standing_thread',
      'platform, channel_id, language, target_channel_id, target_thread_id',
      'platform, channel_id, language',
    );
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
    await createTable(db, 'installation', 'platform, space_id, secret', 'platform, space_id');
  },
};

const linkInvites: Migration = {
  async up(db) {
    await createKeyedTable(
      db,
      'link_invite',
      'code_hash',
      'platform, space_id, watch, expires_ms integer',
    );
  },
};

/** Adds the space to the rows that did not name it, so that they can be deleted with it. */
const spaceColumns: Migration = {
  async up(db) {
    await db.schema.alterTable('member_setting').addColumn('space_id', 'text').execute();
    await addColumn(db, 'standing_thread', 'space_id', 'text', '');
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
    await addColumn(db, 'channel_watch', 'below', 'integer', 0);
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
