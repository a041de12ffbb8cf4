import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** Share of a page that inserts fill, in percent: a claim then writes its row anew on the same page, and no index. */
const FILL = 80;

/** Prepares the table that changes most for its changes. */
export const tuneInbox = async (db: Kysely<Schema>): Promise<void> => {
  const { rows } = await sql<{ reloptions: readonly string[] | null }>`
    SELECT reloptions FROM pg_class WHERE oid = 'inbox'::regclass`.execute(db);
  const option = `fillfactor=${FILL}`;
  if (rows[0]?.reloptions?.includes(option)) return;
  await sql`ALTER TABLE inbox SET (${sql.raw(option)})`.execute(db);
};
