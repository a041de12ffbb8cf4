import { existsSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { AppError } from '../../errors.ts';
import { schemaOf } from './status.ts';
import type { Address } from './address.ts';
import { fillSqlite, type FillOptions } from './fill.ts';
import { copyFile, demandWhole, markAsBackup, putInPlace, removeDatabase } from './place.ts';
import { openSource } from './source.ts';

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
