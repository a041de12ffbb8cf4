import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../errors.ts';
import { schemaOf, type Address, shownAddress } from './status.ts';
import { fillSqlite, type FillOptions, fillPostgres, notEmpty } from './fill.ts';
import {
  copyFile,
  demandWhole,
  markAsBackup,
  putInPlace,
  removeDatabase,
  findRows,
} from './place.ts';
import { openSource, demandNewest } from './source.ts';
import { rm } from 'node:fs/promises';
import { Kysely } from 'kysely';
import { makeProcessFolder, sweepProcessFolders } from '../../process/process-folder.ts';
import { makeFolder } from '../../sqlite/open.ts';
import { migrate } from '../migrations/index.ts';
import { takeOwnerLock } from '../sqlite/guards.ts';
import { openSqlite } from '../sqlite/dialect.ts';

/** Throws `config` for a database that is not there, or has nothing of this program in it. */
const demandFilled = async (address: Address): Promise<void> => {
  const isThere = address.engine === 'postgres' || existsSync(address.path);
  if (!isThere || (await schemaOf(address)).done.length === 0)
    throw new AppError('config', 'there is nothing to back up: no program has used this database');
};

/**
 * Writes a database into a SQLite file, as it is at one moment; a program may work on it meanwhile.
 *
 * @param file the path of the file, which must not be there yet
 */
export const backUp = async (
  address: Address,
  file: string,
  options: FillOptions,
): Promise<void> => {
  if (existsSync(file))
    throw new AppError('config', `${file} is there already: choose another name`);
  if (!statSync(dirname(file), { throwIfNoEntry: false })?.isDirectory())
    throw new AppError('config', `there is no folder ${dirname(file)}: choose another, or make it`);
  await demandFilled(address);
  const made = `${file}.part`;
  removeDatabase(made);
  try {
    if (address.engine === 'sqlite') copyFile(address.path, made, false);
    else {
      await using source = await openSource(address);
      await fillSqlite(made, source, options);
    }
    markAsBackup(made);
    demandWhole(made);
    putInPlace(made, file);
  } catch (thrown) {
    removeDatabase(made);
    throw thrown;
  }
};

export interface ReplaceOptions extends FillOptions {
  /** False where a database that has rows is refused. */
  readonly mayReplace: boolean;
}

/** Has a SQLite database made anew beside the one that it replaces, on which no program works. */
const replaceSqlite = async (
  path: string,
  mayReplace: boolean,
  make: (made: string) => Promise<void>,
): Promise<void> => {
  makeFolder(dirname(path));
  using _ = takeOwnerLock(path);
  // A damaged one can be replaced, too.
  const filled = mayReplace ? undefined : findRows(path);
  if (filled !== undefined) throw notEmpty(filled);
  const made = `${path}.part`;
  removeDatabase(made);
  try {
    await make(made);
    putInPlace(made, path);
  } catch (thrown) {
    removeDatabase(made);
    throw thrown;
  }
};

const FOLDER = '.dragoman-restore-';

/** Makes a file with the newest schema of a backup, which is left as it is. */
const unpack = async (file: string, made: string): Promise<void> => {
  copyFile(file, made, true);
  {
    await using db = new Kysely<unknown>({ dialect: openSqlite(made).dialect });
    await migrate(db);
  }
  markAsBackup(made);
};

/** Replaces a database by a backup. Throws `config` for a file that cannot be used, before anything is changed. */
export const restoreBackup = async (
  address: Address,
  file: string,
  { mayReplace, ...options }: ReplaceOptions,
): Promise<void> => {
  if (!existsSync(file)) throw new AppError('config', `there is no file ${file}`);
  demandWhole(file);
  if (address.engine === 'sqlite') {
    await replaceSqlite(address.path, mayReplace, async (made) => unpack(file, made));
    return;
  }
  await sweepProcessFolders(dirname(file), FOLDER).catch(() => undefined);
  // Beside the file: there is room for one of its size, and a temporary folder may be held in memory.
  const folder = await makeProcessFolder(dirname(file), FOLDER).catch((cause: unknown) => {
    const message = `nothing can be written to ${dirname(file)}, where the backup is unpacked`;
    throw new AppError('config', `${message}: move the file to another folder`, { cause });
  });
  try {
    const made = join(folder, 'x.db');
    await unpack(file, made);
    await using source = await openSource({ engine: 'sqlite', path: made });
    demandNewest(source);
    await fillPostgres(address.url, source, { ...options, mayReplace });
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** Keeps programs from a SQLite database while it is copied. Throws `config` where one works on it. */
const lockFile = (address: Address): Disposable | undefined => {
  if (address.engine === 'postgres') return undefined;
  if (!existsSync(address.path))
    throw new AppError('config', `there is no database at ${shownAddress(address)}`);
  return takeOwnerLock(address.path);
};

/**
 * Replaces a database by the rows of another one, on either engine. No program may work on either: what it wrote
 * meanwhile would be lost.
 */
export const copyDatabase = async (
  from: Address,
  to: Address,
  { mayReplace, ...options }: ReplaceOptions,
): Promise<void> => {
  if (shownAddress(from) === shownAddress(to))
    throw new AppError('config', 'both are the same database');
  using _ = lockFile(from);
  await using source = await openSource(from, { isLocked: true });
  demandNewest(source);
  if (to.engine === 'postgres') await fillPostgres(to.url, source, { ...options, mayReplace });
  else await replaceSqlite(to.path, mayReplace, async (made) => fillSqlite(made, source, options));
};
