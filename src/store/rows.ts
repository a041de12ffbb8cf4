import { sql, type CompiledQuery, type Insertable, type Kysely, type Selectable } from 'kysely';
import { AppError } from '../errors.ts';
import type { Channel, Person, Space } from '../model/place.ts';
import type { Schema } from './schema.ts';

/** Number of hash slots: groups of partitions, each of which one process works on at a time. */
export const SLOTS = 64;

/** Constants of FNV-1a with 32 bits. */
const [OFFSET, PRIME] = [0x81_1c_9d_c5, 0x01_00_01_93];

/** Separates the part of a partition's name that has no part in its slot: partitions with the same beginning have one slot. */
export const WITHIN_SLOT = '>';

/** The hash slot of a partition, 0 to `SLOTS - 1`; stored, so that it never changes. */
export const slotOf = (partition: string): number => {
  let hash = OFFSET;
  const end = partition.indexOf(WITHIN_SLOT);
  for (let at = 0; at < (end < 0 ? partition.length : end); at += 1)
    hash = Math.imul(hash ^ partition.charCodeAt(at), PRIME);
  return ((hash >>> 16) ^ hash) & (SLOTS - 1);
};

/** A value that is filled in each time a statement runs. */
class Parameter {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

const standIns = <Values extends object>(values: Values): Values =>
  Object.fromEntries(Object.keys(values).map((name) => [name, new Parameter(name)])) as Values;

/**
 * A query that is built and compiled once and run with other values each time: for what every message asks for,
 * of which building takes longer than running. Resolves with the rows that it gave, and the number that it changed.
 *
 * @param build gets stand-ins for the values of the first run: they may be passed to the builder, and nothing else
 */
export const statement = <Values extends object, Result>(
  build: (db: Kysely<Schema>, values: Values) => { compile(): CompiledQuery<Result> },
) => {
  /** Compiled queries by the engine's adapter: each engine has its own SQL. */
  const byEngine = new Map<unknown, CompiledQuery<Result>>();
  return async (db: Kysely<Schema>, values: Values) => {
    const engine = db.getExecutor().adapter.constructor;
    const compiled = byEngine.get(engine) ?? build(db, standIns(values)).compile();
    byEngine.set(engine, compiled);
    const { rows, numAffectedRows = 0n } = await db.executeQuery<Result>({
      ...compiled,
      parameters: compiled.parameters.map((given) =>
        given instanceof Parameter ? values[given.name as keyof Values] : given,
      ),
    });
    return { rows, changed: Number(numAffectedRows) };
  };
};

/** Slices of a list, for statements that bind or read its items: SQLite binds 32,766 values at most, PostgreSQL 65,535. */
export const slicesOf = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );

/** The columns by which the rows of a space are known. */
export const spaceColumns = ({ platform, id }: Space) => ({ platform, space_id: id });

/** The columns by which the rows of a channel are known. */
export const channelColumns = ({ space, id }: Channel) => ({
  platform: space.platform,
  channel_id: id,
});

/** The columns by which a person's rows are known. */
export const personColumns = ({ platform, id }: Person) => ({ platform, member_id: id });

/** Condition of a row with a column of JSON in which an id stands as a text. */
export const holdsId = (column: string, id: string) => {
  const text = sql.ref<string>(column);
  return sql<boolean>`replace(${text}, ${JSON.stringify(id)}, '') <> ${text}`;
};

type Row<Table extends keyof Schema> = Selectable<Schema[Table]>;

/** Columns of a table with their values. */
type Columns<Table extends keyof Schema> = Partial<Insertable<Schema[Table]>>;

/** Reads columns of the rows that have these values. */
export const readRows = async <Table extends keyof Schema, Name extends keyof Row<Table>>(
  db: Pick<Kysely<Schema>, 'selectFrom'>,
  table: Table,
  columns: Columns<Table>,
  names: readonly Name[],
): Promise<readonly Pick<Row<Table>, Name>[]> => {
  const read = db.selectFrom<keyof Schema>(table).select(names as never);
  return (await read.where((eb) => eb.and(columns as never)).execute()) as never;
};

/** Reads columns of the one row that has these values; undefined where none has. */
export const readRow = async <Table extends keyof Schema, Name extends keyof Row<Table>>(
  db: Pick<Kysely<Schema>, 'selectFrom'>,
  table: Table,
  columns: Columns<Table>,
  names: readonly Name[],
): Promise<Pick<Row<Table>, Name> | undefined> => (await readRows(db, table, columns, names))[0];

/** The values of a condition. Throws `internal` where it would hold for more rows: Kysely leaves undefined ones out. */
const conditionOf = (columns: object): never => {
  const values = Object.values(columns);
  if (values.length === 0 || values.includes(undefined))
    throw new AppError('internal', 'a condition without a value: other rows would change');
  return columns as never;
};

/** Changes the rows that have these values; resolves with their number. */
export const changeRows = async <Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  columns: Columns<Table>,
  values: Columns<Table>,
): Promise<number> => {
  const { numUpdatedRows } = await db
    .updateTable<keyof Schema>(table)
    .set(values as never)
    .where((eb) => eb.and(conditionOf(columns)))
    .executeTakeFirst();
  return Number(numUpdatedRows);
};

/**
 * Inserts a row, or changes the one that has its key.
 *
 * @param values at least one
 * @param first further values, only for a new row
 */
export const putRow = async <Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  key: Columns<Table>,
  values: Columns<Table>,
  first: Columns<Table> = {},
): Promise<void> => {
  await db
    .insertInto<keyof Schema>(table)
    .values({ ...first, ...key, ...values })
    .onConflict((conflict) => conflict.columns(Object.keys(key) as never).doUpdateSet(values))
    .execute();
};

/** Deletes the rows of a channel and its threads. */
export const deleteRowsAround = async (
  db: Kysely<Schema>,
  table: 'channel_cursor' | 'history_gap',
  { space, id }: Channel,
): Promise<void> => {
  for (const own of [{ channel_id: id }, { parent_id: id }])
    await deleteRows(db, table, { platform: space.platform, ...own });
};

/** Deletes the rows that have these values, of which there is at least one; resolves with their number. */
export const deleteRows = async <Table extends keyof Schema>(
  db: Kysely<Schema>,
  table: Table,
  columns: Columns<Table>,
): Promise<number> => {
  const { numDeletedRows } = await db
    .deleteFrom<keyof Schema>(table)
    .where((eb) => eb.and(conditionOf(columns)))
    .executeTakeFirst();
  return Number(numDeletedRows);
};

/** Deletes the rows that have expired. */
export const deleteExpired = async (
  db: Kysely<Schema>,
  table: 'link_invite' | 'link_request' | 'watch_undo',
  nowMs: number,
): Promise<void> => {
  await db.deleteFrom(table).where('expires_ms', '<', nowMs).execute();
};
