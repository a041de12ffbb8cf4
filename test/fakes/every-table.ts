import { sql } from 'kysely';
import type { Store } from '../../src/store/index.ts';

interface Column {
  readonly name: string;
  readonly type: string;
}

type Values = Readonly<Record<string, string | number>>;

/** Columns whose text is read as JSON. */
const JSON_LIST = new Set(['languages', 'ids', 'sentence']);
const JSON_RECORD = new Set(['choices', 'watch', 'message', 'captions']);

/** The column that the database counts itself. */
const COUNTED = 'number';

/** Names of the tables that hold data; those of the migrations and of SQLite itself do not. */
export const tablesOf = async (store: Store): Promise<readonly string[]> => {
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM sqlite_master WHERE type = 'table'
      AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'kysely_%'`.execute(store);
  return rows.map(({ name }) => name);
};

const valueOf = ({ name, type }: Column, mark: string, given: Values): string | number => {
  const known = given[name];
  if (known !== undefined) return known;
  const text = `${name} of ${mark}`;
  if (type.toLowerCase() !== 'text') return 1;
  if (JSON_LIST.has(name)) return JSON.stringify([text]);
  return JSON_RECORD.has(name) ? JSON.stringify({ text }) : text;
};

/**
 * Writes a row into every table, whichever there are; each text in it has the mark.
 *
 * @param given values of columns, by their names, in every table that has them
 */
export const fillEveryTable = async (store: Store, mark: string, given: Values): Promise<void> => {
  for (const table of await tablesOf(store)) {
    const { rows } = await sql<Column>`
      SELECT name, type FROM pragma_table_info(${table}) WHERE name <> ${COUNTED}`.execute(store);
    const columns = sql.join(rows.map(({ name }) => sql.ref(name)));
    const values = sql.join(rows.map((column) => valueOf(column, mark, given)));
    await store.write((db) =>
      sql`INSERT INTO ${sql.table(table)} (${columns}) VALUES (${values})`.execute(db),
    );
  }
};

/** Every row of every table, as JSON, by the name of its table. */
export const readEveryTable = async (
  store: Store,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const found = new Map<string, readonly string[]>();
  for (const table of await tablesOf(store)) {
    const { rows } = await sql<object>`SELECT * FROM ${sql.table(table)}`.execute(store);
    found.set(
      table,
      rows.map((row) => JSON.stringify(row)),
    );
  }
  return found;
};
