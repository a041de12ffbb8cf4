import type { Migration } from 'kysely/migration';
import { addColumn } from './tables.ts';

/** Adds the channel in which a glossary entry was proposed, and the one that its thread belongs to; empty for none. */
export const proposalChannels: Migration = {
  async up(db) {
    await addColumn(db, 'glossary_proposal', 'channel_id', 'text', '');
    await addColumn(db, 'glossary_proposal', 'parent_id', 'text', '');
  },
};
