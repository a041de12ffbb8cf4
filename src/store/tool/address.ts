import { AppError } from '../../errors.ts';
import { databaseUrl, pathOf } from '../address.ts';
import { realPathOf } from '../sqlite/owner-lock.ts';
import { demandFile } from './place.ts';

/** A database by its engine. */
export type Address =
  | { readonly engine: 'sqlite'; readonly path: string }
  | { readonly engine: 'postgres'; readonly url: string };

/** Reads a `DATABASE_URL`. Throws `config` for one that cannot be used here. */
export const readAddress = (written: string): Address => {
  const parsed = databaseUrl.safeParse(written);
  if (!parsed.success)
    throw new AppError(
      'config',
      'a database must be sqlite:PATH, e.g. sqlite:data/dragoman.db, or postgres://USER:PASSWORD@HOST/DATABASE',
    );
  const path = pathOf(parsed.data);
  if (path === undefined) return { engine: 'postgres', url: parsed.data };
  demandFile(path);
  return { engine: 'sqlite', path: realPathOf(path) };
};

/** An address as it may be shown: without its password. */
export const shownAddress = (address: Address): string => {
  if (address.engine === 'sqlite') return `sqlite:${address.path}`;
  const { username, host, pathname } = new URL(address.url);
  return `postgres://${username === '' ? '' : `${username}@`}${host}${pathname}`;
};
