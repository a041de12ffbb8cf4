import { existsSync } from 'node:fs';
import { AppError } from '../../src/errors.ts';
import { isLocked } from '../../src/sqlite/disk-fault.ts';
import { openDatabase } from '../../src/sqlite/open.ts';
import { MOST_NANO_USD } from './prices.ts';
import type { Amounts } from './spending.ts';

/** A key as it is stored: by its hash, never itself. */
export interface StoredKey {
  /** SHA-256 of the key in hexadecimal digits. */
  readonly hash: string;
  readonly name: string;
  /** Words of access, separated by commas. */
  readonly access: string;
  readonly creditNanoUsd: number;
  /** Rates as they were written; null for the service's own. */
  readonly rate: string | null;
  readonly asrRate: string | null;
  /** ISO 8601. */
  readonly createdAt: string;
}

export type KeyChange = Partial<
  Pick<StoredKey, 'access' | 'creditNanoUsd' | 'rate' | 'asrRate'>
> & {
  readonly addNanoUsd?: number | undefined;
};

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS keys (
    hash TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    access TEXT NOT NULL,
    credit_nano_usd INTEGER NOT NULL,
    rate TEXT,
    asr_rate TEXT,
    created_at TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
`;

/** Longest wait of who can wait: of the command line, and of the thread that writes. */
const BUSY_MS = 5_000;

const COLUMNS = `hash, name, access, credit_nano_usd AS creditNanoUsd, rate, asr_rate AS asrRate,
  created_at AS createdAt`;

const unknownName = (name: string): AppError =>
  new AppError(
    'not-found',
    `There is no key named ${name}. "npm run service -- keys list" names them`,
  );

/** The stored keys, which several processes can use at the same time. */
export type KeyStore = ReturnType<typeof openKeyStore>;

/**
 * Opens the database of keys, which is made when missing. Throws `AppError` (`config`) for one that
 * cannot be used.
 *
 * @param busyMs longest wait for another process that writes; everything else waits as well. Default:
 *   5 s
 */
export const openKeyStore = (path: string, busyMs = BUSY_MS) =>
  openDatabase(path, { variable: 'SERVICE_DATABASE', busyMs }, (database) => {
    const isDragomans = database.prepare(
      "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'kysely_migration'",
    );
    if (isDragomans.get())
      throw new AppError(
        'config',
        `the database ${path} is Dragoman's own: choose another SERVICE_DATABASE`,
      );
    database.exec(SCHEMA);
    const find = database.prepare(`SELECT ${COLUMNS} FROM keys WHERE hash = ?`);
    const list = database.prepare(`SELECT ${COLUMNS} FROM keys ORDER BY name`);
    const insert = database.prepare(
      `INSERT INTO keys (hash, name, access, credit_nano_usd, rate, asr_rate, created_at)
       VALUES (:hash, :name, :access, :creditNanoUsd, :rate, :asrRate, :createdAt)
       ON CONFLICT (name) DO NOTHING`,
    );
    const ofName = database.prepare(`SELECT ${COLUMNS} FROM keys WHERE name = ?`);
    const update = database.prepare(
      'UPDATE keys SET access = ?, credit_nano_usd = ?, rate = ?, asr_rate = ? WHERE name = ?',
    );
    const remove = database.prepare('DELETE FROM keys WHERE name = ?');
    const spend = database.prepare(
      'UPDATE keys SET credit_nano_usd = credit_nano_usd - ? WHERE hash = ?',
    );
    const inTransaction = (work: () => void): void => {
      database.exec('BEGIN IMMEDIATE');
      try {
        work();
        database.exec('COMMIT');
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK');
        throw error;
      }
    };

    return {
      find: (hash: string) => find.get(hash) as StoredKey | undefined,
      list: () => list.all() as unknown as readonly StoredKey[],
      /** Throws `AppError` (`bad-input`) for a name that is taken. */
      create: (key: StoredKey): void => {
        if (insert.run({ ...key }).changes === 0)
          throw new AppError(
            'bad-input',
            `There is a key named ${key.name} already. Choose another name, or revoke it first`,
          );
      },
      /** Throws `AppError`: `not-found` for an unknown name, `bad-input` for too much credit. */
      change: (name: string, { addNanoUsd, ...change }: KeyChange): void =>
        inTransaction(() => {
          const key = ofName.get(name) as StoredKey | undefined;
          if (!key) throw unknownName(name);
          const { access, creditNanoUsd, rate, asrRate } = { ...key, ...change };
          const nanoUsd = creditNanoUsd + (addNanoUsd ?? 0);
          if (addNanoUsd !== undefined && nanoUsd > MOST_NANO_USD)
            throw new AppError('bad-input', 'A key can have at most 1000000 USD');
          update.run(access, nanoUsd, rate, asrRate, name);
        }),
      /** Removes a key. Throws `AppError` (`not-found`) for an unknown name. */
      remove: (name: string): void => {
        if (remove.run(name).changes === 0) throw unknownName(name);
      },
      /** Takes amounts from the credits, all or none. Returns false while another process writes. */
      spend: (amounts: Amounts): boolean => {
        try {
          inTransaction(() => {
            for (const [hash, nanoUsd] of amounts) spend.run(nanoUsd, hash);
          });
          return true;
        } catch (error) {
          if (isLocked(error)) return false;
          throw error;
        }
      },
      [Symbol.dispose]: () => database.close(),
    };
  });

/** Opens the database of keys where there is one. */
export const openExistingKeyStore = (path: string, busyMs: number): KeyStore | undefined =>
  existsSync(path) ? openKeyStore(path, busyMs) : undefined;
