import { existsSync, statSync } from 'node:fs';
import { Kysely, PostgresDialect, sql } from 'kysely';
import { refuseUnknown, schemaStatus, type SchemaStatus, tableNames } from '../migrations/index.ts';
import { tryOwnerLock } from '../sqlite/owner-lock.ts';
import { createConnectionPool } from '../postgres/connect.ts';
import { NOW_MS } from '../postgres/lease-rows.ts';
import { openSqlite } from '../sqlite/dialect.ts';
import type { Schema } from '../schema.ts';
import { shownAddress, type Address } from './address.ts';
import { countOfRows } from './progress.ts';

/** Opens a database as it is, without changing its schema. */
export const openAsItIs = (address: Address): Kysely<Schema> =>
  new Kysely<Schema>({
    dialect:
      address.engine === 'sqlite'
        ? openSqlite(address.path).dialect
        : new PostgresDialect({ pool: createConnectionPool({ url: address.url, most: 1 }) }),
  });

/** Reads the state of a database's schema. Throws `config` for one of another program, and of a newer version. */
export const schemaOf = async (address: Address): Promise<SchemaStatus> => {
  await using db = openAsItIs(address);
  await refuseUnknown(db);
  return await schemaStatus(db);
};

/** Counts the processes that work on a database. */
export const aliveOn = async (address: Address): Promise<number> => {
  if (address.engine === 'sqlite') {
    if (!existsSync(address.path)) return 0;
    using lock = tryOwnerLock(address.path);
    return lock ? 0 : 1;
  }
  await using db = openAsItIs(address);
  if (!(await tableNames(db)).includes('lease')) return 0;
  const { rows } = await sql<{ count: number }>`
    SELECT count(DISTINCT owner) AS count FROM lease WHERE expires_ms > ${sql.raw(NOW_MS)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
};

const MEGABYTE = 1_000_000;

const sizeOf = async (address: Address, db: Kysely<Schema>): Promise<number> => {
  if (address.engine === 'sqlite')
    return ['', '-wal'].reduce(
      (sum, part) =>
        sum + (statSync(`${address.path}${part}`, { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
  const { rows } = await sql<{ size: number }>`
    SELECT pg_database_size(current_database()) AS size`.execute(db);
  return rows[0]?.size ?? 0;
};

const schemaLine = ({ done, missing, unknown }: SchemaStatus): string => {
  if (done.length === 0) return 'empty: "npm run db -- migrate" makes its tables';
  if (unknown.length > 0) return `newer than this program: ${unknown.join(', ')}`;
  if (missing.length > 0) return `older than this program, which adds ${missing.join(', ')}`;
  return `newest, ${done.at(-1)}`;
};

const SECOND_MS = 1_000;

/** The lines that say how a database is. */
export const statusLines = async (address: Address, nowMs: number): Promise<readonly string[]> => {
  const engine = address.engine === 'sqlite' ? 'SQLite' : 'PostgreSQL';
  const heading = `${engine}: ${shownAddress(address)}`;
  if (address.engine === 'sqlite' && !existsSync(address.path))
    return [heading, 'There is no such file yet.'];
  await using db = openAsItIs(address);
  const status = await schemaStatus(db);
  const megabytes = ((await sizeOf(address, db)) / MEGABYTE).toFixed(1);
  const lines = [
    heading,
    `Size: ${megabytes} MB`,
    `Schema: ${schemaLine(status)}`,
    `Processes at work: ${await aliveOn(address)}`,
  ];
  if (status.done.length === 0) {
    await refuseUnknown(db);
    return lines;
  }
  const tables = await tableNames(db);
  if (tables.includes('inbox')) {
    const { rows } = await sql<{ oldest: number | null }>`
      SELECT min(changed_ms) AS oldest FROM inbox WHERE state = 'waiting'`.execute(db);
    const oldest = rows[0]?.oldest ?? undefined;
    const seconds = Math.max(0, Math.round((nowMs - (oldest ?? nowMs)) / SECOND_MS));
    lines.push(`Oldest waiting message: ${oldest === undefined ? 'none' : `${seconds} s`}`);
  }
  for (const name of tables.toSorted()) {
    const { rows } = await sql<{
      count: number;
    }>`SELECT count(*) AS count FROM ${sql.table(name)}`.execute(db);
    lines.push(`  ${name.padEnd(24)}${countOfRows(rows[0]?.count ?? 0)}`);
  }
  return lines;
};
