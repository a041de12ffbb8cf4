import type { Migration } from 'kysely/migration';
import { addColumn } from './tables.ts';

/** Adds whether answers to copies of a person's messages mention them. */
export const answerMentions: Migration = {
  async up(db) {
    await addColumn(db, 'member_setting', 'answer_mentions', 'integer', 1);
  },
};
