import { z } from 'zod';
import { backoffMs, type Backoff, realClock, sleep } from '../async/clock.ts';
import { AppError } from '../errors.ts';
import { isStorageFault } from '../sqlite/disk-fault.ts';
import { createLog, type Log } from '../telemetry/log.ts';
import { openSqliteStore } from './sqlite/store.ts';
import type { Store } from './store.ts';

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

export type { Store } from './store.ts';

export interface StoreOptions {
  readonly log?: Log | undefined;
  /** The number of this start of the machine; undefined where it is not known. */
  readonly bootIdOf?: (() => string | undefined) | undefined;
  /**
   * True for a program that looks at a database while another one may work on it: it changes no schema then. Default:
   * false, for which SQLite refuses a second process.
   */
  readonly isGuest?: boolean | undefined;
  /** Signal that ends the wait for a PostgreSQL that cannot be used for now. Default: nothing is waited for. */
  readonly waiting?: AbortSignal | undefined;
  /** Most connections to PostgreSQL, two at least. Default: 10. */
  readonly connections?: number | undefined;
}

const CONNECTIONS = 10;

const BACKOFF: Backoff = { firstMs: 250, longestMs: 5_000, random: Math.random };
/** Time between two lines in the log. */
const WARN_MS = 30_000;

/** Opens something as soon as its database can be used. Rejects at once for what does not pass by itself. */
const openWhenUsable = async <Opened>(
  open: () => Promise<Opened>,
  log: Log,
  signal: AbortSignal,
): Promise<Opened> => {
  let warnedMs = -Infinity;
  for (let attempt = 0; ; attempt += 1)
    try {
      return await open();
    } catch (err) {
      if (!isStorageFault(err) || !err.retryable) throw err;
      if (realClock.nowMs() - warnedMs >= WARN_MS) {
        warnedMs = realClock.nowMs();
        log.warn({ err }, `${err.message}; waiting for it`);
      }
      await sleep(realClock, backoffMs(BACKOFF, attempt), signal);
    }
};

/**
 * Opens the database of a `DATABASE_URL` and migrates it to the newest schema. Rejects with
 * `config`, and with `unavailable` for a server that cannot be reached.
 */
export const openStore = async (url: string, options: StoreOptions = {}): Promise<Store> => {
  const path = pathOf(url);
  if (path !== undefined) return openSqliteStore(path, options);
  if (!isPostgres(url))
    throw new AppError('config', 'DATABASE_URL names no database that is known here');
  const { log = createLog('silent'), connections = CONNECTIONS, waiting } = options;
  const { openPostgresStore } = await import('./postgres/store.ts');
  const open = async (): Promise<Store> => openPostgresStore({ url, connections, log });
  return waiting ? openWhenUsable(open, log, waiting) : open();
};
