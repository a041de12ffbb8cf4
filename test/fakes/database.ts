import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.ts';
import { onServer } from './on-server.ts';
import { TEMPLATE } from './postgres-server.ts';

/** Databases that ended tests left as new; copying one takes ten times as long. */
const spare: string[] = [];

/** What a test can change of a database besides its rows: its schema, its settings, and its migrations. */
const SHAPE = `
  SELECT string_agg(line, ' ' ORDER BY line) AS shape FROM (
    SELECT concat_ws(',', relname, attname, atttypid, attnotnull, reloptions, pg_get_expr(adbin, adrelid)) AS line
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
      WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT pg_get_indexdef(pg_class.oid) FROM pg_class
      WHERE relnamespace = 'public'::regnamespace AND relkind = 'i'
    UNION ALL SELECT concat_ws(',', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint
      WHERE connamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(',', tgname, tgrelid::regclass, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT concat_ws(',', proname, md5(prosrc)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT concat_ws(',', setrole, setconfig) FROM pg_db_role_setting
      JOIN pg_database ON setdatabase = pg_database.oid WHERE datname = current_database()
    UNION ALL SELECT datconnlimit::text FROM pg_database WHERE datname = current_database()
    UNION ALL SELECT name FROM kysely_migration
  ) AS lines`;

/** The template has no rows but those of the migrations. */
const EMPTY = `
  SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^kysely_' LOOP
      EXECUTE format('DELETE FROM public.%I', name);
    END LOOP;
  END $$`;

const withClient = async <T>(url: string, run: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await run(client);
  } finally {
    await client.end();
  }
};

const readShape = async (client: pg.Client): Promise<string> =>
  (await client.query<{ shape: string }>(SHAPE)).rows[0]!.shape;

let shape: string | undefined;

const nameDatabase = (): string => `test_${randomUUID().replaceAll('-', '')}`;

/** Creates a database; resolves with its name. */
const create = async (template: string): Promise<string> => {
  const name = nameDatabase();
  await onServer(
    inject('postgres'),
    `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`,
  );
  return name;
};

const drop = async (name: string): Promise<void> =>
  onServer(inject('postgres'), `DROP DATABASE ${name} WITH (FORCE)`);

/** SQLSTATE of a database that cannot be renamed, as somebody is connected. */
const IN_USE = '55006';

/** Gives a database another name, which nobody who was connected has; false where somebody still is. */
const tryToRename = async (name: string, newName: string): Promise<boolean> => {
  try {
    await onServer(inject('postgres'), `ALTER DATABASE ${name} RENAME TO ${newName}`);
    return true;
  } catch (error) {
    if (error instanceof pg.DatabaseError && error.code === IN_USE) return false;
    throw error;
  }
};

/** Empties a database for the next test, or drops it where that could not take it for a new one. */
const giveBack = async (name: string): Promise<void> => {
  const newName = nameDatabase();
  if (!(await tryToRename(name, newName))) return drop(name);
  const isAsNew = await withClient(`${inject('postgres')}${newName}`, async (client) => {
    if ((await readShape(client)) !== shape) return false;
    await client.query(EMPTY);
    return true;
  });
  if (isAsNew) spare.push(newName);
  else await drop(newName);
};

/**
 * Makes a PostgreSQL database that no test has used, which goes with the test; resolves with its URL.
 *
 * @param template `template0` for an empty one. Default: the newest schema, without rows
 */
export const makeNewDatabase = async (template = TEMPLATE): Promise<string> => {
  const name = await create(template);
  onTestFinished(async () => drop(name));
  return `${inject('postgres')}${name}`;
};

/** Takes a PostgreSQL database with the newest schema and no rows, for the test; resolves with its URL. */
export const makeDatabase = async (): Promise<string> => {
  const name = spare.pop() ?? (await create(TEMPLATE));
  const url = `${inject('postgres')}${name}`;
  shape ??= await withClient(url, readShape);
  onTestFinished(async () => giveBack(name));
  return url;
};

/** Opens a store, which is closed at the end of the test. */
export const openTestStore = async (url: string, options?: StoreOptions): Promise<Store> => {
  const store = await openStore(url, options);
  onTestFinished(() => store.destroy());
  return store;
};
