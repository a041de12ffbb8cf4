import { z } from 'zod';

/** The path in a `DATABASE_URL` of SQLite: a file, or `:memory:`; undefined for any other. */
export const pathOf = (url: string): string | undefined =>
  /^sqlite:(?<path>\S.*)$/.exec(url)?.groups?.['path'];

export const isPostgres = (url: string): boolean =>
  /^postgres(?:ql)?:\/\//.test(url) && URL.canParse(url);

/** `DATABASE_URL`. */
export const databaseUrl = z
  .string()
  .refine((url) => pathOf(url) !== undefined || isPostgres(url), {
    error:
      'must be sqlite:PATH, e.g. sqlite:data/dragoman.db, or postgres://USER:PASSWORD@HOST/DATABASE',
  })
  .default('sqlite:data/dragoman.db');
