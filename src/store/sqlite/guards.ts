import { realpathSync, readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { IN_MEMORY, opening } from '../../sqlite/open.ts';
import { isLocked } from '../../sqlite/disk-fault.ts';
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely';
import { TABLES_OF_SPACES } from '../privacy/tables.ts';
import type { Schema } from '../schema.ts';
import { isOpen } from '../inbox/row.ts';

/** The path of a database without symbolic links: two names of one file are one database. */
export const realPathOf = (path: string): string => {
  if (path === IN_MEMORY) return path;
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
};

/**
 * Takes the lock of the one process that works on a SQLite database; it ends with the process, however that comes.
 * The lock is SQLite's own, on an empty file beside the database, so that others can still read. Throws `config` where
 * another process has it.
 */
export const takeOwnerLock = (path: string): Disposable =>
  opening(path, 'DATABASE_URL', () => {
    const file = new DatabaseSync(path === IN_MEMORY ? path : `${path}-owner`, { timeout: 0 });
    try {
      // Without a file of its own for the journal, nothing but the lock is left behind.
      file.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    } catch (thrown) {
      file.close();
      throw thrown;
    }
    return { [Symbol.dispose]: () => file.close() };
  });

/** Takes the lock as `takeOwnerLock` does; undefined where another process has it. */
export const tryOwnerLock = (path: string): Disposable | undefined => {
  try {
    return takeOwnerLock(path);
  } catch (thrown) {
    if (thrown instanceof Error && isLocked(thrown.cause)) return undefined;
    throw thrown;
  }
};

export const either = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(conditions, sql` OR `)})`;

/**
 * Has SQLite ignore new rows of left spaces. Table and triggers live in memory, in the one connection of this process:
 * work on a space can only be under way in the process that it left.
 */
export const guardLeftSpaces = async (db: Kysely<Schema>): Promise<void> => {
  await sql`CREATE TEMP TABLE left_space (platform TEXT NOT NULL, space_id TEXT NOT NULL,
    left_ms INTEGER NOT NULL, PRIMARY KEY (platform, space_id))`.execute(db);
  for (const [table, columns] of TABLES_OF_SPACES) {
    const isLeft = either(
      columns.map(
        ([platform, id]) => sql<boolean>`EXISTS (SELECT 1 FROM left_space
          WHERE left_space.platform = NEW.${sql.ref(platform)} AND left_space.space_id IN
            (NEW.${sql.ref(id)}, substr(NEW.${sql.ref(id)}, 1, instr(NEW.${sql.ref(id)}, '/') - 1)))`,
      ),
    );
    await sql`CREATE TEMP TRIGGER ${sql.ref(`left_${table}`)} BEFORE INSERT ON main.${sql.table(table)}
      WHEN ${isLeft} BEGIN SELECT RAISE(IGNORE); END`.execute(db);
  }
};

/** Linux's number of this start of the machine (proc_sys_kernel(5)); undefined on other systems. */
export const readBootId = (): string | undefined => {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return undefined;
  }
};

/** Marks all open rows as begun: their posts may stand already. */
const markOpenAsBegun = async (within: Transaction<Schema>): Promise<void> => {
  await within
    .updateTable('inbox')
    .set((eb) => ({ begun: eb('begun', '+', 1) }))
    .where(isOpen)
    .execute();
};

/**
 * Marks all open rows as begun where the claims of earlier processes may be lost: claims are not
 * synced, so that they survive the end of a process, but not the machine's.
 *
 * @param bootId number of this start of the machine; undefined where it is not known
 */
export const markLostClaims = async (
  db: Kysely<Schema>,
  bootId: string | undefined,
): Promise<void> => {
  const noted = await db.selectFrom('machine').select('boot_id').executeTakeFirst();
  if (bootId !== undefined && noted?.boot_id === bootId) return;
  await db.transaction().execute(async (within) => {
    await markOpenAsBegun(within);
    await within.deleteFrom('machine').execute();
    if (bootId !== undefined)
      await within.insertInto('machine').values({ boot_id: bootId }).execute();
  });
};

/**
 * Finds the time at which a database that came from a backup was opened for the first time, ms since 1970; undefined for
 * any other. What was written before may have been posted, though the database does not know it.
 */
export const noteRestoration = async (
  db: Kysely<Schema>,
  nowMs: number,
): Promise<number | undefined> => {
  const noted = await db.selectFrom('restoration').select('at_ms').executeTakeFirst();
  if (!noted || noted.at_ms > 0) return noted?.at_ms;
  await db.transaction().execute(async (within) => {
    const changed = await within
      .updateTable('restoration')
      .set({ at_ms: nowMs })
      .where('at_ms', '=', 0)
      .returning(sql<number>`1`.as('one'))
      .executeTakeFirst();
    if (changed) await markOpenAsBegun(within);
  });
  return (await db.selectFrom('restoration').select('at_ms').executeTakeFirst())?.at_ms;
};
