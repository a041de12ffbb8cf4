import { type Kysely, sql } from 'kysely';
import { createIndex } from './tables.ts';

/** Makes an index of some rows. A query uses it only if its condition has the same words. */
const createPartialIndex = async (db: Kysely<unknown>, name: string, of: string): Promise<void> => {
  await sql`CREATE INDEX ${sql.ref(name)} ON ${sql.raw(of)}`.execute(db);
};

/** Indexes that find what belongs to one space, group or channel. */
export const MIGRATIONS_047_TO_052 = {
  /** Finds watches: after each change every process reads those that it may have touched. */
  '047-watch-indexes': {
    async up(db: Kysely<unknown>) {
      await createIndex(db, 'channel_watch_of_group', 'channel_watch', 'group_id');
      await createIndex(db, 'channel_watch_of_space', 'channel_watch', 'platform, space_id');
    },
  },
  /** Finds the messages of a space that a daily limit left out, whose number `/status` says. */
  '049-over-limit': {
    async up(db: Kysely<unknown>) {
      const of = `inbox (platform, space_id, changed_ms) WHERE state = 'skipped' AND reason = 'daily-limit'`;
      await createPartialIndex(db, 'inbox_over_limit', of);
    },
  },
  /** Finds what flags brought in a space, again and again where moderators have it removed. */
  '050-flag-mirrors': {
    async up(db: Kysely<unknown>) {
      const of = `mirror (source_platform, source_space_id, posted_ms) WHERE purpose <> 'watch'`;
      await createPartialIndex(db, 'mirror_of_flags', of);
    },
  },
  '052-tenants': {
    async up(db: Kysely<unknown>) {
      await db.schema.dropIndex('linked_thread_by_origin').execute();
      await createIndex(db, 'linked_thread_of_group', 'linked_thread', 'group_id, origin');
      await createIndex(db, 'linked_thread_of_channel', 'linked_thread', 'channel_id');
      for (const table of ['channel_cursor', 'history_gap'])
        await createIndex(db, `${table}_of_parent`, table, 'parent_id');
      const of = `space_setting (platform, space_id) WHERE replace(choices, '"keptMinutes"', '') <> choices`;
      await createPartialIndex(db, 'space_setting_of_flags', of);
    },
  },
};
