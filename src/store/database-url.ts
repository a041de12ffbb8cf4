import { z } from 'zod';

/** The parsed `DATABASE_URL`. */
export interface DatabaseAddress {
  readonly engine: 'sqlite';
  /** A file, or `:memory:`. */
  readonly path: string;
}

const SQLITE = /^sqlite:(?<path>\S.*)$/;

/** Parses a `DATABASE_URL`; undefined when it names no supported database. */
export const parseDatabaseUrl = (url: string): DatabaseAddress | undefined => {
  const path = SQLITE.exec(url)?.groups?.['path'];
  return path === undefined ? undefined : { engine: 'sqlite', path };
};

export const databaseUrl = z
  .string()
  .refine((url) => parseDatabaseUrl(url) !== undefined, {
    error: 'must be sqlite:PATH, e.g. sqlite:data/dragoman.db',
  })
  .default('sqlite:data/dragoman.db');
