import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Kysely } from 'kysely';
import { AppError } from '../../errors.ts';
import { makeProcessFolder, sweepProcessFolders } from '../../process/process-folder.ts';
import { makeFolder } from '../../sqlite/open.ts';
import { migrate } from '../migrations/index.ts';
import { takeOwnerLock } from '../sqlite/owner-lock.ts';
import { openSqlite } from '../sqlite/dialect.ts';
import type { Address } from './address.ts';
import { fillPostgres, type FillOptions, notEmpty } from './fill.ts';
import {
  copyFile,
  demandWhole,
  findRows,
  markAsBackup,
  putInPlace,
  removeDatabase,
} from './place.ts';
import { demandNewest, openSource } from './source.ts';

export interface ReplaceOptions extends FillOptions {
  /** False where a database that has rows is refused. */
  readonly mayReplace: boolean;
}

/** Has a SQLite database made anew beside the one that it replaces, on which no program works. */
export const replaceSqlite = async (
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
    const said = `nothing can be written to ${dirname(file)}, where the backup is unpacked`;
    throw new AppError('config', `${said}: move the file to another folder`, { cause });
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
