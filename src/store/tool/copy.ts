import { existsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import { takeOwnerLock } from '../sqlite/owner-lock.ts';
import { shownAddress, type Address } from './address.ts';
import { fillPostgres, fillSqlite } from './fill.ts';
import { replaceSqlite, type ReplaceOptions } from './restore.ts';
import { demandNewest, openSource } from './source.ts';

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
