import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumn, createIndex } from './tables.ts';

/** Makes an index of some rows. A query uses it only if its condition has the same words. */
const createPartialIndex = async (db: Kysely<unknown>, name: string, of: string): Promise<void> => {
  await sql`CREATE INDEX ${sql.ref(name)} ON ${sql.raw(of)}`.execute(db);
};

/** Columns and indexes that were added. */
export const MIGRATIONS_027_TO_052: Readonly<Record<string, Migration>> = {
  /** Adds the models that translated a mirror, so that its readers can be told of small ones. */
  '027-mirror-models': {
    up: (db) => addColumn(db, 'mirror', 'models', 'text', ''),
  },
  /** Finds the use of one person in all spaces: their limits hold over all of them together. */
  '028-usage-by-member': {
    up: (db) => createIndex(db, 'usage_by_member', 'usage_day', 'platform, member_id, day'),
  },
  /** Adds what moderators chose for a watch beside its languages, as JSON. */
  '031-watch-choices': {
    up: (db) => addColumn(db, 'channel_watch', 'choices', 'text', '{}'),
  },
  /** Adds whether answers to copies of a person's messages mention them. */
  '033-answer-mentions': {
    up: (db) => addColumn(db, 'member_setting', 'answer_mentions', 'integer', 1),
  },
  /** Adds the message that a mirror quotes, so that its words go when it is deleted. */
  '040-mirror-quotes': {
    async up(db) {
      await addColumn(db, 'mirror', 'quoted', 'text', '');
      await createIndex(db, 'mirror_by_quoted', 'mirror', 'quoted');
    },
  },
  /** Adds the channel in which a glossary entry was proposed, and the one that its thread belongs to; empty for none. */
  '041-proposal-channels': {
    async up(db) {
      await addColumn(db, 'glossary_proposal', 'channel_id', 'text', '');
      await addColumn(db, 'glossary_proposal', 'parent_id', 'text', '');
    },
  },
  /** Adds what a thread of linked channels was last known as, by which our own changes of it are told from people's. */
  '043-thread-states': {
    up: (db) => addColumn(db, 'linked_thread', 'state', 'text', ''),
  },
  /** Adds what is still to be told: messages that were given up, and accepted proposals for the glossary. */
  '045-untold': {
    async up(db) {
      await addColumn(db, 'inbox', 'untold', 'integer', 0);
      await createPartialIndex(db, 'inbox_untold', 'inbox (changed_ms) WHERE untold > 0');
      await addColumn(db, 'glossary_proposal', 'accepted', 'integer', 0);
    },
  },
  /** Finds watches: after each change every process reads those that it may have touched. */
  '047-watch-indexes': {
    async up(db) {
      await createIndex(db, 'channel_watch_of_group', 'channel_watch', 'group_id');
      await createIndex(db, 'channel_watch_of_space', 'channel_watch', 'platform, space_id');
    },
  },
  /** Finds the messages of a space that a daily limit left out, whose number `/status` says. */
  '049-over-limit': {
    async up(db) {
      const of = `inbox (platform, space_id, changed_ms) WHERE state = 'skipped' AND reason = 'daily-limit'`;
      await createPartialIndex(db, 'inbox_over_limit', of);
    },
  },
  /** Finds what flags brought in a space, again and again where moderators have it removed. */
  '050-flag-mirrors': {
    async up(db) {
      const of = `mirror (source_platform, source_space_id, posted_ms) WHERE purpose <> 'watch'`;
      await createPartialIndex(db, 'mirror_of_flags', of);
    },
  },
  '052-tenants': {
    async up(db) {
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
