import { sql, type Transaction, type Kysely } from 'kysely';
import { TABLES_OF_SPACES } from '../privacy/tables.ts';
import type { Schema } from '../schema.ts';
import type { PoolClient } from 'pg';
import { NOW_MS } from './lease-rows.ts';

/**
 * Has PostgreSQL ignore new rows of left spaces, whichever process they come from: work on a space may be under way
 * in others than the one that it left.
 */
export const guardAgainstLeft = async (within: Transaction<Schema>): Promise<void> => {
  await sql`CREATE TABLE IF NOT EXISTS left_space (platform text COLLATE "C" NOT NULL,
      space_id text COLLATE "C" NOT NULL, left_ms bigint NOT NULL,
      PRIMARY KEY (platform, space_id))`.execute(within);
  // A glossary names a channel too, after a slash.
  await sql`
      CREATE OR REPLACE FUNCTION dragoman_ignore_left() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE own jsonb;
      BEGIN
        IF NOT EXISTS (SELECT 1 FROM left_space) THEN
          RETURN NEW;
        END IF;
        own := to_jsonb(NEW);
        FOR at IN 0 .. TG_NARGS / 2 - 1 LOOP
          IF EXISTS (SELECT 1 FROM left_space
            WHERE platform = own ->> TG_ARGV[2 * at]
              AND space_id = split_part(own ->> TG_ARGV[2 * at + 1], '/', 1)) THEN
            RETURN NULL;
          END IF;
        END LOOP;
        RETURN NEW;
      END $$`.execute(within);
  const { rows } = await sql<{ name: string }>`
    SELECT tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = current_schema()::regnamespace`.execute(within);
  const made = new Set(rows.map(({ name }) => name));
  for (const [table, columns] of TABLES_OF_SPACES) {
    if (made.has(`left_${table}`)) continue;
    const args = sql.join(columns.flat().map((column) => sql.lit(column)));
    await sql`CREATE TRIGGER ${sql.ref(`left_${table}`)} BEFORE INSERT ON ${sql.table(table)}
      FOR EACH ROW EXECUTE FUNCTION dragoman_ignore_left(${args})`.execute(within);
  }
};

/**
 * The server, its history and the database in SQL. A copy elsewhere has another one, and so has a server that took over
 * from another, or was set back: each begins a new timeline (PostgreSQL documentation, "Timelines").
 */
const IDENTITY = `(SELECT concat_ws('.', system_identifier,
  substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8),
  (SELECT oid FROM pg_database WHERE datname = current_database())) FROM pg_control_system())`;

/**
 * Makes the table that tells whether claims were lost. They are committed without a sync, so that a crash of the server
 * loses the last ones; it also empties this table, which is unlogged.
 */
export const guardClaims = async (within: Transaction<Schema>): Promise<void> => {
  await sql`CREATE UNLOGGED TABLE IF NOT EXISTS kept_claims (identity text NOT NULL)`.execute(
    within,
  );
};

interface ClaimsState {
  readonly is_kept: boolean;
  readonly restored_ms: number | null;
}

const LOOK = `
  SELECT EXISTS (SELECT 1 FROM kept_claims WHERE identity = ${IDENTITY}) AS is_kept,
    (SELECT at_ms FROM restoration LIMIT 1) AS restored_ms`;

const LOCK = `SELECT pg_advisory_xact_lock(hashtext('dragoman claims'))`;

/** Statements that run once after a crash, or where the server or the database is another one than before. */
const MARK = [
  `UPDATE inbox SET begun = begun + 1 WHERE state = 'waiting'`,
  `INSERT INTO restoration (at_ms) SELECT 0 FROM machine WHERE boot_id <> ${IDENTITY}`,
  `UPDATE restoration SET at_ms = ${NOW_MS} WHERE at_ms = 0`,
  `DELETE FROM restoration WHERE at_ms < (SELECT max(at_ms) FROM restoration)`,
  `DELETE FROM machine`,
  `INSERT INTO machine (boot_id) VALUES (${IDENTITY})`,
  `DELETE FROM kept_claims`,
  `INSERT INTO kept_claims (identity) VALUES (${IDENTITY})`,
];

const isFine = (state: ClaimsState | undefined): boolean =>
  state?.is_kept === true && state.restored_ms !== 0;

/**
 * Looks on a new connection whether claims were lost, and then marks all open rows as begun. After a crash all connections
 * are new, so that no process claims a row before it has looked. Resolves with what `Store.restoredMs` gives.
 */
export const keepClaims = async (client: PoolClient): Promise<number | undefined> => {
  const look = async (): Promise<ClaimsState | undefined> =>
    (await client.query<ClaimsState>(LOOK)).rows[0];
  let state = await look();
  if (!isFine(state)) {
    await client.query('BEGIN');
    try {
      await client.query(LOCK);
      // Another connection may have been faster.
      if (!isFine(await look())) for (const statement of MARK) await client.query(statement);
      await client.query('COMMIT');
    } catch (thrown) {
      await client.query('ROLLBACK').catch(() => undefined);
      throw thrown;
    }
    state = await look();
  }
  return state?.restored_ms ?? undefined;
};

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
