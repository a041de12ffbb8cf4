import { AppError } from '../../errors.ts';
import { NOW_MS } from '../postgres/lease-rows.ts';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { fromDisk } from '../../sqlite/disk-fault.ts';
import type { SchemaStatus } from '../migrations/index.ts';
import { bound, connectionOf, UNBOUNDED } from '../postgres/connect.ts';
import { fromPostgres } from '../postgres/faults.ts';
import { type Address, schemaOf } from './status.ts';
import { COPIED_TABLES, type TableRow } from './place.ts';

/**
 * Has no process begin to work on a PostgreSQL database until the transaction ends, of which these are the first
 * statements. Throws `config` where one works on it.
 *
 * @param query runs a statement within the transaction
 */
export const demandIdle = async (
  query: (text: string) => Promise<readonly object[]>,
): Promise<void> => {
  await query('SET LOCAL lock_timeout = 5000');
  await query('LOCK TABLE lease IN EXCLUSIVE MODE');
  const live = await query(`SELECT 1 FROM lease WHERE expires_ms > ${NOW_MS} LIMIT 1`);
  if (live.length > 0)
    throw new AppError(
      'config',
      'a program works on the database: stop all of its processes first',
    );
};

/** Rows that are in memory at the same time. */
const ROWS_AT_ONCE = 200;

/** All rows of a database as they were at one moment, whatever is written meanwhile. */
export interface RowSource extends AsyncDisposable {
  readonly schema: SchemaStatus;
  /** The tables that are copied, as far as this schema has them, with their numbers of rows. */
  readonly tables: ReadonlyMap<string, number>;
  readonly read: (table: string) => AsyncIterable<readonly TableRow[]>;
}

const quoted = (name: string): string => `"${name}"`;

const openSqliteSource = async (path: string): Promise<RowSource> => {
  const schema = await schemaOf({ engine: 'sqlite', path });
  const database = new DatabaseSync(path, { timeout: 5_000 });
  const close = async (): Promise<void> => database.close();
  try {
    database.exec('BEGIN');
    const names = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`)
      .all()
      .map(({ name }) => name);
    const tables = new Map(
      COPIED_TABLES.filter((table) => names.includes(table)).map((table) => [
        table,
        database.prepare(`SELECT count(*) AS count FROM ${quoted(table)}`).get()?.[
          'count'
        ] as number,
      ]),
    );
    return {
      schema,
      tables,
      read: async function* read(table) {
        let rows: TableRow[] = [];
        const all = database.prepare(`SELECT * FROM ${quoted(table)}`);
        for (const row of all.iterate()) {
          rows.push({ ...row } as TableRow);
          if (rows.length < ROWS_AT_ONCE) continue;
          yield rows;
          rows = [];
        }
        yield rows;
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (thrown) {
    await close();
    throw fromDisk(thrown);
  }
};

/** Opens the rows of a PostgreSQL database. */
const openPostgresSource = async (url: string, isLocked: boolean): Promise<RowSource> => {
  const schema = await schemaOf({ engine: 'postgres', url });
  const client = new pg.Client(connectionOf(url));
  client.on('error', () => undefined);
  const query = async <Row extends object>(text: string): Promise<readonly Row[]> => {
    try {
      return (await client.query<Row>(text)).rows;
    } catch (thrown) {
      throw fromPostgres(thrown);
    }
  };
  const close = async (): Promise<void> => {
    await client.end().catch(() => undefined);
  };
  try {
    await client.connect();
    await bound(client, UNBOUNDED);
    const leases = await query(`SELECT 1 WHERE to_regclass('lease') IS NOT NULL`);
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    if (isLocked && leases.length > 0) await demandIdle(query);
    const tables = new Map<string, number>();
    for (const table of COPIED_TABLES) {
      const found = await query(
        `SELECT 1 FROM pg_class WHERE oid = to_regclass('${quoted(table)}')`,
      );
      if (found.length === 0) continue;
      const [row] = await query<{ count: number }>(
        `SELECT count(*) AS count FROM ${quoted(table)}`,
      );
      tables.set(table, row?.count ?? 0);
    }
    return {
      schema,
      tables,
      read: async function* read(table) {
        await query(`DECLARE rows NO SCROLL CURSOR FOR SELECT * FROM ${quoted(table)}`);
        for (;;) {
          const rows = await query<TableRow>(`FETCH ${ROWS_AT_ONCE} FROM rows`);
          if (rows.length === 0) break;
          yield rows;
        }
        await query('CLOSE rows');
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (thrown) {
    await close();
    throw fromPostgres(thrown);
  }
};

/**
 * Opens the rows of a database, whose schema is left as it is.
 *
 * @param options.isLocked true where no process may work on a PostgreSQL database until it is closed: throws `config`
 *   where one does
 */
export const openSource = async (
  address: Address,
  { isLocked = false }: { readonly isLocked?: boolean } = {},
): Promise<RowSource> =>
  address.engine === 'sqlite'
    ? openSqliteSource(address.path)
    : openPostgresSource(address.url, isLocked);

/** Throws `config` for a source whose schema is not the newest one. */
export const demandNewest = ({ schema }: RowSource): void => {
  if (schema.done.length === 0)
    throw new AppError('config', 'the database to copy from has nothing of Dragoman in it');
  if (schema.missing.length > 0)
    throw new AppError(
      'config',
      'the database to copy from has an older schema: run "npm run db -- migrate" on it first',
    );
};
