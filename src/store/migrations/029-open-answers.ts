import type { Migration } from 'kysely/migration';
import { createKeyedTable } from './tables.ts';

/** Keeps where answers are awaited, so that their askers can be told when the process has ended. */
export const addOpenAnswers: Migration = {
  async up(db) {
    const columns = 'platform, space_id, member_id, process, address, since_ms bigint';
    await createKeyedTable(db, 'open_answer', 'id', columns);
  },
};
