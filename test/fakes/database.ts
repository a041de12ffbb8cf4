import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { inject, onTestFinished } from 'vitest';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.ts';
import { onServer } from './on-server.ts';
import { TEMPLATE } from './postgres-server.ts';

/** Databases of tests that have ended, as new: to copy one takes ten times the time. */
const spare: string[] = [];

/** What a test can change of a database besides its rows. */
const SHAPE = `
  SELECT string_agg(line, ' ' ORDER BY line) AS shape FROM (
    SELECT concat_ws(',', relname, attname, atttypid, attnotnull, reloptions) AS line
      FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = 'public'::regnamespace
    UNION ALL SELECT concat_ws(',', tgname, tgrelid::regclass, tgenabled) FROM pg_trigger WHERE NOT tgisinternal
    UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
    UNION ALL SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_'
    UNION ALL SELECT setconfig::text FROM pg_db_role_setting JOIN pg_database ON setdatabase = pg_database.oid
      WHERE datname = current_database()
    UNION ALL SELECT name FROM kysely_migration
  ) AS lines`;

/** Whoever is connected could write later. */
const OTHERS = `
  SELECT count(*)::int AS others FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;

/** The template has no rows but those of the migrations. */
const EMPTY = `
  SET session_replication_role = replica;
  DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^kysely_' LOOP
      EXECUTE format('DELETE FROM %I', name);
    END LOOP;
    FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' LOOP
      PERFORM setval(format('%I', name)::regclass, 1, false);
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

/** Empties a database for the next test; false where somebody is connected to it, or it has changed. */
const tryToEmpty = async (url: string): Promise<boolean> =>
  withClient(url, async (client) => {
    if ((await readShape(client)) !== shape) return false;
    const { rows } = await client.query<{ others: number }>(OTHERS);
    if (rows[0]!.others > 0) return false;
    await client.query(EMPTY);
    return true;
  }).catch(() => false);

/** Creates a database; resolves with its name. */
const create = async (template: string): Promise<string> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  await onServer(
    inject('postgres'),
    `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`,
  );
  return name;
};

const drop = async (name: string): Promise<void> =>
  onServer(inject('postgres'), `DROP DATABASE ${name} WITH (FORCE)`);

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
  onTestFinished(async () => {
    if (await tryToEmpty(url)) spare.push(name);
    else await drop(name);
  });
  return url;
};

/** Opens a store, which is closed at the end of the test. */
export const openTestStore = async (url: string, options?: StoreOptions): Promise<Store> => {
  const store = await openStore(url, options);
  onTestFinished(() => store.destroy());
  return store;
};
