import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { addColumn, createIndex, createKeyedTable, createTable } from './tables.ts';

/** Makes an index of some rows. A query uses it only if its condition has the same words. */
const createPartialIndex = async (db: Kysely<unknown>, name: string, of: string): Promise<void> => {
  await sql`CREATE INDEX ${sql.ref(name)} ON ${sql.raw(of)}`.execute(db);
};

export const MIGRATIONS_027_TO_052: Readonly<Record<string, Migration>> = {
  /** Adds the models that translated a mirror, so that its readers can be told of small ones. */
  '027-mirror-models': {
    up: (db) => addColumn(db, 'mirror', 'models', 'text', ''),
  },
  /** Finds the use of one person in all spaces: their limits hold over all of them together. */
  '028-usage-by-member': {
    up: (db) => createIndex(db, 'usage_by_member', 'usage_day', 'platform, member_id, day'),
  },
  /** Keeps where answers are awaited, so that their askers can be told when the process has ended. */
  '029-open-answers': {
    async up(db) {
      const columns = 'platform, space_id, member_id, process, address, since_ms bigint';
      await createKeyedTable(db, 'open_answer', 'id', columns);
    },
  },
  /** Keeps the files of imports until a moderator has seen what they would write. */
  '030-pending-imports': {
    async up(db) {
      const columns = 'platform, space_id, author_id, place, language?, file, since_ms bigint';
      await createKeyedTable(db, 'pending_import', 'id', columns);
    },
  },
  /** Adds what moderators chose for a watch beside its languages, as JSON. */
  '031-watch-choices': {
    up: (db) => addColumn(db, 'channel_watch', 'choices', 'text', '{}'),
  },
  /** Adds the links that one side asked for, and who made a code. */
  '032-link-requests': {
    async up(db) {
      const asked = 'platform, space_id, from_platform, from_space_id, code_hash, state, request';
      const by = 'asked_by?, asked_by_name?, expires_ms bigint';
      await createKeyedTable(db, 'link_request', 'id', `${asked}, ${by}`);
      for (const name of ['made_by', 'made_by_name'])
        await sql`ALTER TABLE link_invite ADD COLUMN ${sql.ref(name)} text`.execute(db);
    },
  },
  /** Adds whether answers to copies of a person's messages mention them. */
  '033-answer-mentions': {
    up: (db) => addColumn(db, 'member_setting', 'answer_mentions', 'integer', 1),
  },
  /** Adds glossary entries that members propose, until a moderator has decided. */
  '035-glossary-proposals': {
    async up(db) {
      const columns =
        'platform, space_id, author_id, proposed_term, language?, proposed_translation, since_ms bigint';
      await createKeyedTable(db, 'glossary_proposal', 'id', columns);
    },
  },
  /** Adds the people whose copies a space does not show, and what was changed of its links and settings by whom. */
  '036-audit-and-blocks': {
    async up(db) {
      await createTable(
        db,
        'blocked_author',
        'platform, space_id, author_hash, author_name?, is_ban bigint, since_ms bigint',
        'platform, space_id, author_hash',
      );
      const columns =
        'platform, space_id, changed_by?, changed_by_name?, what, channel_id?, about_hash?, before?, after?, at_ms bigint';
      await createKeyedTable(db, 'audit_entry', 'id', columns);
      await createIndex(db, 'audit_of_space', 'audit_entry', 'platform, space_id, at_ms');
    },
  },
  /** Adds what moderators choose in the wizard, and what was made of it. */
  '037-setups': {
    async up(db) {
      const columns = 'platform, space_id, setup, is_begun integer, since_ms bigint';
      await createKeyedTable(db, 'setup', 'id', columns);
    },
  },
  /**
   * Adds the threads of linked channels that are copied into each other, what was written in threads before is not; and which
   * messages' copies are pinned.
   */
  '039-linked-threads': {
    async up(db) {
      const columns =
        'platform, space_id, channel_id, thread_channel_id, thread_id, group_id, origin, is_gone integer';
      const key = 'platform, thread_channel_id, thread_id';
      await createTable(db, 'linked_thread', columns, key);
      await createIndex(db, 'linked_thread_by_origin', 'linked_thread', 'origin');
      await addColumn(db, 'mirror', 'pinned', 'integer', 0);
      await addColumn(db, 'channel_watch', 'threads_since_ms', 'bigint', 0);
      await sql`UPDATE channel_watch SET threads_since_ms = ${Date.now()}`.execute(db);
    },
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
  /** Adds what is known of people's reactions elsewhere, which a message of linked channels shows. */
  '042-copied-reactions': {
    async up(db) {
      const columns =
        'platform, space_id, channel_id, message_id, emoji, people, shown integer, changed_ms bigint';
      const key = 'platform, channel_id, message_id, emoji';
      await createTable(db, 'copied_reaction', columns, key);
      await createIndex(db, 'copied_reaction_by_age', 'copied_reaction', 'changed_ms');
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
  /** Adds what sets back what was turned off of auto-translate a moment ago. */
  '048-watch-undos': {
    async up(db) {
      const columns = 'platform, space_id, watches, mixes_ages integer, of_rules integer';
      await createKeyedTable(db, 'watch_undo', 'id', `${columns}, expires_ms bigint`);
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
  /** Finds the changes of a channel in a space that has many. */
  '053-audit-of-channels': {
    async up(db) {
      await createIndex(
        db,
        'audit_of_channel',
        'audit_entry',
        'platform, space_id, channel_id, at_ms',
      );
    },
  },
};
