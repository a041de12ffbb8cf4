import type { Migration } from 'kysely/migration';

/** Adds the tokens of the language model to what is counted per day. */
export const chatTokens: Migration = {
  async up(db) {
    await db.schema
      .alterTable('usage_day')
      .addColumn('chat_tokens', 'integer', (column) => column.notNull().defaultTo(0))
      .execute();
  },
};
