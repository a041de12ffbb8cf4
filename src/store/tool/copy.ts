import { existsSync } from 'node:fs';
import { AppError } from '../../errors.ts';
import { takeOwnerLock } from '../owner-lock.ts';
import { shownAddress, type Address } from './address.ts';
import { fillPostgres, fillSqlite, inUse } from './fill.ts';
import { replaceSqlite, type ReplaceOptions } from './restore.ts';
import { demandNewest, openSource } from './source.ts';
import { aliveOn } from './status.ts';

/** Keeps programs from a database while it is copied, as far as its engine can. Throws `config` where one works on it. */
const demandUnused = async (address: Address): Promise<Disposable | undefined> => {
  if (address.engine === 'sqlite') {
    if (!existsSync(address.path))
      throw new AppError('config', `there is no database at ${shownAddress(address)}`);
    return takeOwnerLock(address.path);
  }
  if ((await aliveOn(address)) > 0) throw inUse();
  return undefined;
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
  using _ = await demandUnused(from);
  await using source = await openSource(from);
  demandNewest(source);
  if (to.engine === 'postgres') await fillPostgres(to.url, source, { ...options, mayReplace });
  else await replaceSqlite(to.path, mayReplace, async (made) => fillSqlite(made, source, options));
};
