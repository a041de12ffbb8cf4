import { sql, type Transaction } from 'kysely';
import type { PoolClient } from 'pg';
import type { Schema } from '../schema.ts';
import { NOW_MS } from './lease-rows.ts';

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

interface Kept {
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

const isFine = (kept: Kept | undefined): boolean =>
  kept?.is_kept === true && kept.restored_ms !== 0;

/**
 * Looks on a new connection whether claims were lost, and then marks all open rows as begun. After a crash all connections
 * are new, so that no process claims a row before it has looked. Resolves with what `Store.restoredMs` gives.
 */
export const keepClaims = async (client: PoolClient): Promise<number | undefined> => {
  const look = async (): Promise<Kept | undefined> => (await client.query<Kept>(LOOK)).rows[0];
  let kept = await look();
  if (!isFine(kept)) {
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
    kept = await look();
  }
  return kept?.restored_ms ?? undefined;
};
