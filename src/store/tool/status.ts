import { AppError } from '../../errors.ts';
import { databaseUrl, pathOf } from '../index.ts';
import { realPathOf, tryOwnerLock } from '../sqlite/guards.ts';
import { demandFile } from './place.ts';
import { existsSync, statSync } from 'node:fs';
import { Kysely, sql } from 'kysely';
import { refuseUnknown, schemaStatus, type SchemaStatus, tableNames } from '../migrations/index.ts';
import { openSingle } from '../postgres/dialect.ts';
import { NOW_MS } from '../postgres/lease-rows.ts';
import { openSqlite } from '../sqlite/dialect.ts';
import type { Schema } from '../schema.ts';

export type Address =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** Reads a `DATABASE_URL`. Throws `config` for one that cannot be used here. */
export const readAddress = (written: string): Address => {
  const parsed = databaseUrl.safeParse(written);
  if (!parsed.success)
    throw new AppError(
      'config',
      'a database must be sqlite:PATH, e.g. sqlite:data/dragoman.db, or postgres://USER:PASSWORD@HOST/DATABASE',
    );
  const path = pathOf(parsed.data);
  if (path === undefined) return { engine: 'postgres', url: parsed.data };
  demandFile(path);
  return { engine: 'sqlite', path: realPathOf(path) };
};

/** An address as it may be shown: without its password. */
export const shownAddress = (address: Address): string => {
  if (address.engine === 'sqlite') return `sqlite:${address.path}`;
  const { username, host, pathname } = new URL(address.url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
};

/** Says what is being done, a line each. */
export type Say = (line: string) => void;

/** Shortest time between two lines about the same table. */
const SAY_MS = 2_000;

const written = new Intl.NumberFormat('en');

/** A number of rows in words: `1,200 rows`. */
const countOfRows = (count: number): string =>
  `${written.format(count)} ${count === 1 ? 'row' : 'rows'}`;

/** Creates the function that is told each number of rows of a table that are done. */
export const createRowProgress = (
  say: Say,
  nowMs: () => number = performance.now.bind(performance),
) => {
  let lastMs = nowMs();
  return (table: string, done: number, all: number): void => {
    if (done < all && nowMs() - lastMs < SAY_MS) return;
    lastMs = nowMs();
    say(
      done < all
        ? `${table}: ${written.format(done)} of ${countOfRows(all)}`
        : `${table}: ${countOfRows(all)}`,
    );
  };
};

export type RowProgress = ReturnType<typeof createRowProgress>;

/** Opens a database as it is, without changing its schema. */
export const openAsItIs = (address: Address): Kysely<Schema> =>
  address.engine === 'sqlite'
    ? new Kysely<Schema>({ dialect: openSqlite(address.path).dialect })
    : openSingle(address.url);

/** Reads the state of a database's schema. Throws `config` for one of another program, and of a newer version. */
export const schemaOf = async (address: Address): Promise<SchemaStatus> => {
  await using db = openAsItIs(address);
  await refuseUnknown(db);
  return await schemaStatus(db);
};

/** Counts the processes that work on a database. */
const aliveOn = async (address: Address): Promise<number> => {
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
