import { sql, type ColumnMetadata, type TableMetadata } from 'kysely';
import { DATA_COLUMNS, type ColumnKind } from '../../scripts/data-columns.ts';
import type { Store } from '../../src/store/index.ts';

type Values = Readonly<Record<string, string | number>>;

/** Columns whose text is read as JSON. */
const JSON_LIST = new Set(['languages', 'ids', 'sentence']);
const JSON_RECORD = new Set(['choices', 'watch', 'message', 'captions']);

/** The column that the database counts itself. */
const COUNTED = 'number';

/** Tables without data: what was left is named on purpose, and the others hold a time or a number of the database. */
export const TABLES_WITHOUT_DATA: ReadonlySet<string> = new Set([
  'left_space',
  'kept_claims',
  'restoration',
]);

const dataTablesOf = new WeakMap<Store, Promise<readonly TableMetadata[]>>();

/** Tables that hold data; those of the migrations do not. They are read once of each store. */
const dataTables = (store: Store): Promise<readonly TableMetadata[]> => {
  const read = async () =>
    (await store.introspection.getTables()).filter(({ name }) => !TABLES_WITHOUT_DATA.has(name));
  const tables = dataTablesOf.get(store) ?? read();
  dataTablesOf.set(store, tables);
  return tables;
};

/** Names of the tables that hold data. */
export const tablesOf = async (store: Store): Promise<readonly string[]> =>
  (await dataTables(store)).map(({ name }) => name);

/** Names of the columns of each table but those of the migrations, by the table’s name. */
export const columnsOf = async (store: Store): Promise<ReadonlyMap<string, readonly string[]>> =>
  new Map(
    (await store.introspection.getTables()).map(({ name, columns }) => [
      name,
      columns.map((column) => column.name),
    ]),
  );

const valueOf = (
  { name, dataType }: ColumnMetadata,
  mark: string,
  given: Values,
): string | number => {
  const known = given[name];
  if (known !== undefined) return known;
  const text = `${name} of ${mark}`;
  if (dataType.toLowerCase() !== 'text') return 1;
  if (JSON_LIST.has(name)) return JSON.stringify([text]);
  return JSON_RECORD.has(name) ? JSON.stringify({ text }) : text;
};

/** A row in every table; each text in it has the mark. */
export interface Row {
  readonly mark: string;
  /** Values of columns, by their names, in every table that has them. */
  readonly given: Values;
}

/** Writes rows into every table, whichever there are, in their order. */
export const fillWithRows = async (store: Store, rows: readonly Row[]): Promise<void> => {
  const tables = await dataTables(store);
  await store.write(async (db) => {
    for (const { name: table, columns: all } of tables) {
      const filled = all.filter(({ name }) => name !== COUNTED);
      const columns = sql.join(filled.map(({ name }) => sql.ref(name)));
      const values = sql.join(
        rows.map(
          ({ mark, given }) =>
            sql`(${sql.join(filled.map((column) => valueOf(column, mark, given)))})`,
        ),
      );
      await sql`INSERT INTO ${sql.table(table)} (${columns}) VALUES ${values}`.execute(db);
    }
  });
};

/** Writes one row into every table as `fillWithRows` does. */
export const fillEveryTable = async (store: Store, mark: string, given: Values): Promise<void> =>
  fillWithRows(store, [{ mark, given }]);

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

/** The columns in which a mark stands, as `table.column`, with what each of them is said to hold. */
export const kindsOfColumnsWith = async (
  store: Store,
  mark: string,
): Promise<Readonly<Record<string, ColumnKind | undefined>>> => {
  const found: Record<string, ColumnKind | undefined> = {};
  for (const [table, rows] of await readEveryTable(store)) {
    const kinds: Readonly<Record<string, ColumnKind>> =
      DATA_COLUMNS[table as keyof typeof DATA_COLUMNS];
    for (const row of rows)
      for (const [column, value] of Object.entries(JSON.parse(row) as object))
        if (String(value).includes(mark)) found[`${table}.${column}`] = kinds[column];
  }
  return found;
};
