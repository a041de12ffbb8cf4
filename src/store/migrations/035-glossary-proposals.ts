import type { Migration } from 'kysely/migration';
import { createKeyedTable } from './tables.ts';

/** Adds glossary entries that members propose, until a moderator has decided. */
export const addGlossaryProposals: Migration = {
  async up(db) {
    const columns =
      'platform, space_id, author_id, proposed_term, language?, proposed_translation, since_ms bigint';
    await createKeyedTable(db, 'glossary_proposal', 'id', columns);
  },
};
