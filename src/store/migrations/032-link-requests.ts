import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';
import { createKeyedTable } from './tables.ts';

/** Adds the links that one side asked for, and who made a code. */
export const addLinkRequests: Migration = {
  async up(db) {
    const asked = 'platform, space_id, from_platform, from_space_id, code_hash, state, request';
    const by = 'asked_by?, asked_by_name?, expires_ms bigint';
    await createKeyedTable(db, 'link_request', 'id', `${asked}, ${by}`);
    for (const name of ['made_by', 'made_by_name'])
      await sql`ALTER TABLE link_invite ADD COLUMN ${sql.ref(name)} text`.execute(db);
  },
};
