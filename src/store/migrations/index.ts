import { type Kysely, PostgresAdapter, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration';
import { AppError } from '../../errors.ts';
import { MIGRATIONS_001_TO_013 } from './001-to-013.ts';
import { watching } from './002-watching.ts';
import { partitionsAndTargets } from './004-partitions-and-targets.ts';
import { foldedTerms } from './009-folded-terms.ts';
import { MIGRATIONS_014_TO_026 } from './014-to-026.ts';
import { MIGRATIONS_027_TO_052 } from './027-to-053.ts';

/**
 * Migrations in the order of their names; a released one is never changed. A new one gets the number after the highest here,
 * just before it is merged: a database that has run a later one refuses it.
 */
const MIGRATIONS: Readonly<Record<string, Migration>> = Object.fromEntries(
  Object.entries({
    ...MIGRATIONS_001_TO_013,
    '002-watching': watching,
    '004-partitions-and-targets': partitionsAndTargets,
    '009-folded-terms': foldedTerms,
    ...MIGRATIONS_014_TO_026,
    ...MIGRATIONS_027_TO_052,
  }).toSorted(([a], [b]) => a.localeCompare(b, 'en')),
);

const isPostgres = <Schema>(db: Kysely<Schema>): boolean =>
  db.getExecutor().adapter instanceof PostgresAdapter;

/** Names of a database's tables, those of the migrations included. */
export const tableNames = async <Schema>(db: Kysely<Schema>): Promise<readonly string[]> => {
  const { rows } = isPostgres(db)
    ? await sql<{ name: string }>`
        SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()`.execute(db)
    : await sql<{ name: string }>`
        SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'`.execute(
        db,
      );
  return rows.map(({ name }) => name);
};

/** Names of the migrations that were run on a database; none on an empty one. */
const migrationsIn = async <Schema>(db: Kysely<Schema>): Promise<readonly string[]> => {
  if (!(await tableNames(db)).includes(DEFAULT_MIGRATION_TABLE)) return [];
  const { rows } = await sql<{ name: string }>`
    SELECT name FROM ${sql.table(DEFAULT_MIGRATION_TABLE)} ORDER BY name`.execute(db);
  return rows.map(({ name }) => name);
};

/** The state of a database's schema. */
export interface SchemaStatus {
  /** Migrations that were run, in their order. */
  readonly done: readonly string[];
  readonly missing: readonly string[];
  /** Migrations of a newer version of this program. */
  readonly unknown: readonly string[];
}

export const schemaStatus = async <Schema>(db: Kysely<Schema>): Promise<SchemaStatus> => {
  const done = await migrationsIn(db);
  return {
    done,
    missing: Object.keys(MIGRATIONS).filter((name) => !done.includes(name)),
    unknown: done.filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  };
};

/** Tables that Kysely makes for its migrations. */
const isOfMigrations = (name: string): boolean => name.startsWith('kysely_');

/** Names of tables of another program, in a database that no migration was run on; at most three. */
const foreignTables = async <Schema>(db: Kysely<Schema>): Promise<readonly string[]> =>
  (await tableNames(db)).filter((name) => !isOfMigrations(name)).slice(0, 3);

/**
 * Resolves with the migrations that were run on a database. Rejects with `config` for one of a newer version, or of
 * another program.
 */
export const refuseUnknown = async <Schema>(db: Kysely<Schema>): Promise<readonly string[]> => {
  const { done, unknown } = await schemaStatus(db);
  const isOurs = unknown.length < done.length || unknown.length === 0;
  const others = isOurs && done.length > 0 ? [] : await foreignTables(db);
  if (others.length > 0)
    throw new AppError(
      'config',
      `the database belongs to another program (it has ${others.join(', ')}): ` +
        'give Dragoman a database of its own',
    );
  if (unknown.length === 0) return done;
  const message =
    `the database was changed by a newer version of this program (${unknown.join(', ')}): ` +
    'run that version, or restore a backup from before';
  throw new AppError('config', message);
};

/**
 * Brings a database up to date, or leaves it as it was. Rejects with `config` where it cannot, for one that is newer,
 * and for one of another program.
 */
export const migrate = async <Schema>(
  db: Kysely<Schema>,
  migrations: Readonly<Record<string, Migration>> = MIGRATIONS,
): Promise<void> => {
  const done = await refuseUnknown(db);
  // Kysely would look at all tables first.
  if (Object.keys(migrations).every((name) => done.includes(name))) return;
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } });
  const { error, results } = await migrator.migrateToLatest();
  if (!error) return;
  // Another process may have been faster.
  await refuseUnknown(db);
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'unknown';
  throw new AppError('config', `the database could not be brought up to date (${failed})`, {
    cause: error,
  });
};

/** Brings an empty database to the state of another one, which some migrations were run on. */
export const migrateAs = async <Schema>(
  db: Kysely<Schema>,
  { done }: SchemaStatus,
): Promise<void> =>
  migrate(
    db,
    Object.fromEntries(Object.entries(MIGRATIONS).filter(([name]) => done.includes(name))),
  );

/** Migrates as `migrate` does, one process after the other, on the one connection that `db` has. */
export const migrateInTurn = async <Schema>(db: Kysely<Schema>): Promise<void> =>
  db.connection().execute(async (only) => {
    await sql`SELECT pg_advisory_lock(hashtext('dragoman migrations'))`.execute(only);
    try {
      await migrate(only);
    } finally {
      await sql`SELECT pg_advisory_unlock(hashtext('dragoman migrations'))`.execute(only);
    }
  });
