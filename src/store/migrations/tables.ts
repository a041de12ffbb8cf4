import type { ColumnDataType, CreateTableBuilder, Kysely } from 'kysely';
import { AppError } from '../../errors.ts';

/** A column of a list: its name, `?` where it may be null, and its type unless that is text. */
const COLUMN = /^(\w+)(\??)(?: (\w+))?$/;

const listed = (names: string): string[] => names.split(',').map((name) => name.trim());

/** Adds columns to a table that is being made: `platform, parent_id?, since_ms bigint`. */
export const withColumns = (
  table: CreateTableBuilder<string, string>,
  columns: string,
): CreateTableBuilder<string, string> =>
  listed(columns).reduce((built, column) => {
    const [, name, optional, type = 'text'] = COLUMN.exec(column) ?? [];
    if (name === undefined) throw new AppError('internal', `"${column}" is no column`);
    return built.addColumn(name, type as ColumnDataType, (made) =>
      optional === '?' ? made : made.notNull(),
    );
  }, table);

/**
 * Makes a table with a primary key.
 *
 * @param columns as `withColumns` takes them
 * @param key the columns of the primary key, with commas between
 */
export const createTable = async (
  db: Kysely<unknown>,
  name: string,
  columns: string,
  key: string,
): Promise<void> => {
  await withColumns(db.schema.createTable(name), columns)
    .addPrimaryKeyConstraint(`${name}_key`, listed(key))
    .execute();
};

/** Makes a table whose key is one column of text. */
export const createKeyedTable = async (
  db: Kysely<unknown>,
  name: string,
  key: string,
  columns: string,
): Promise<void> => {
  const table = db.schema.createTable(name).addColumn(key, 'text', (made) => made.primaryKey());
  await withColumns(table, columns).execute();
};

/** Adds a column that is never null; `value` is its default, which rows that exist get. */
export const addColumn = async (
  db: Kysely<unknown>,
  table: string,
  name: string,
  type: ColumnDataType,
  value: string | number,
): Promise<void> => {
  await db.schema
    .alterTable(table)
    .addColumn(name, type, (made) => made.notNull().defaultTo(value))
    .execute();
};

/** Makes an index of all rows of a table. */
export const createIndex = async (
  db: Kysely<unknown>,
  name: string,
  table: string,
  columns: string,
): Promise<void> => {
  await db.schema.createIndex(name).on(table).columns(listed(columns)).execute();
};
