import { type Kysely, sql } from 'kysely';
import { markOpenAsBegun } from '../inbox/lost-claims.ts';
import type { Schema } from '../schema.ts';

/**
 * Finds the time at which a database that came from a backup was opened for the first time, ms since 1970; undefined for
 * any other. What was written before may have been posted, though the database does not know it.
 */
export const noteRestoration = async (
  db: Kysely<Schema>,
  nowMs: number,
): Promise<number | undefined> => {
  const noted = await db.selectFrom('restoration').select('at_ms').executeTakeFirst();
  if (!noted || noted.at_ms > 0) return noted?.at_ms;
  await db.transaction().execute(async (within) => {
    const changed = await within
      .updateTable('restoration')
      .set({ at_ms: nowMs })
      .where('at_ms', '=', 0)
      .returning(sql<number>`1`.as('one'))
      .executeTakeFirst();
    if (changed) await markOpenAsBegun(within);
  });
  return (await db.selectFrom('restoration').select('at_ms').executeTakeFirst())?.at_ms;
};
