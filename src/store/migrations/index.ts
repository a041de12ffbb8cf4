import { type Kysely, sql } from 'kysely';
import { DEFAULT_MIGRATION_TABLE, Migrator, type Migration } from 'kysely/migration';
import { AppError } from '../../errors.ts';
import { glossaryAndSettings } from './001-glossary-and-settings.ts';
import { watching } from './002-watching.ts';
import { rooms } from './003-rooms.ts';
import { partitionsAndTargets } from './004-partitions-and-targets.ts';
import { readAgain } from './005-rich-text.ts';
import { openRooms } from './006-open-rooms.ts';
import { standingThreads } from './007-standing-threads.ts';
import { reasons } from './008-reasons.ts';
import { foldedTerms } from './009-folded-terms.ts';
import { installations } from './010-installations.ts';
import { linkInvites } from './011-link-invites.ts';
import { spaceColumns } from './012-space-columns.ts';
import { below } from './013-below.ts';
import { deliveries } from './014-deliveries.ts';
import { historyGaps } from './015-history-gaps.ts';
import { machine } from './016-machine.ts';
import { chatTokens } from './017-chat-tokens.ts';
import { spaceKeys } from './018-space-keys.ts';
import { hosted } from './019-hosted.ts';
import { processes } from './020-processes.ts';

/** Migrations in the order of their names; a released one is never changed. */
const MIGRATIONS: Record<string, Migration> = {
  '001-glossary-and-settings': glossaryAndSettings,
  '002-watching': watching,
  '003-rooms': rooms,
  '004-partitions-and-targets': partitionsAndTargets,
  '005-rich-text': readAgain,
  '006-open-rooms': openRooms,
  '007-standing-threads': standingThreads,
  '008-reasons': reasons,
  '009-folded-terms': foldedTerms,
  '010-installations': installations,
  '011-link-invites': linkInvites,
  '012-space-columns': spaceColumns,
  '013-below': below,
  '014-deliveries': deliveries,
  '015-history-gaps': historyGaps,
  '016-machine': machine,
  '017-chat-tokens': chatTokens,
  '018-space-keys': spaceKeys,
  '019-hosted': hosted,
  '020-processes': processes,
};

/** Names of the migrations that were run on a database; none on an empty one. */
const migrationsIn = async <Schema>(db: Kysely<Schema>): Promise<readonly string[]> => {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === DEFAULT_MIGRATION_TABLE)) return [];
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

/** Throws `config` for a database with migrations of a newer version. */
const refuseNewer = async <Schema>(db: Kysely<Schema>): Promise<void> => {
  const { unknown } = await schemaStatus(db);
  if (unknown.length === 0) return;
  const message =
    `the database was changed by a newer version of this program (${unknown.join(', ')}): ` +
    'run that version, or restore a backup from before';
  throw new AppError('config', message);
};

/** Brings a database up to date. Rejects with `config` where it cannot, and for one that is newer. */
export const migrate = async <Schema>(db: Kysely<Schema>): Promise<void> => {
  await refuseNewer(db);
  const migrator = new Migrator({ db, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results } = await migrator.migrateToLatest();
  if (!error) return;
  // Another process may have been faster.
  await refuseNewer(db);
  const failed = results?.find(({ status }) => status === 'Error')?.migrationName ?? 'unknown';
  throw new AppError('config', `the database could not be brought up to date (${failed})`, {
    cause: error,
  });
};
