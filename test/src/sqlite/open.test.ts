import { mkdtempSync, readdirSync, statSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, describe } from 'vitest';
import { openDatabase, vacuum } from '../../../src/sqlite/open.ts';
import { DatabaseSync } from 'node:sqlite';

/** Permissions of other users than the owner. */
const OTHERS = 0o077;

it('a new database can be read by nobody but its owner, nor can its journal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-'));
  const options = { variable: 'DATABASE_URL', busyMs: 0 };
  const database = openDatabase(join(folder, 'a.db'), options, (opened) => {
    opened.exec('CREATE TABLE one (id INTEGER)');
    return opened;
  });
  const modes = readdirSync(folder).map((name) => statSync(join(folder, name)).mode & OTHERS);
  database.close();
  expect(modes).toEqual([0, 0, 0]);
});

const MARK = 'LEFTBEHIND';

/** A database in whose file a mark is left after all rows with it were deleted. */
const leftBehind = (): { path: string; database: DatabaseSync } & Disposable => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-vacuum-'));
  const path = join(folder, 'x.db');
  const database = new DatabaseSync(path, { timeout: 0 });
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; CREATE TABLE t (a PRIMARY KEY)',
  );
  // One transaction: each would wait for the disk.
  database.exec('BEGIN');
  const insert = database.prepare('INSERT INTO t VALUES (?)');
  for (let at = 0; at < 1_000; at += 1)
    insert.run(`${(at * 367) % 1_000} ${(at % 2 ? MARK : 'kept').repeat(at % 90)}`);
  database.exec(`COMMIT; DELETE FROM t WHERE a LIKE '%${MARK}%'; PRAGMA wal_checkpoint(TRUNCATE)`);
  return {
    path,
    database,
    [Symbol.dispose]: () => {
      database.close();
      rmSync(folder, { recursive: true });
    },
  };
};

const isLeft = (path: string): boolean => readFileSync(path, 'latin1').includes(MARK);

describe('rewriting the file of a database', () => {
  it('leaves nothing in it that was deleted, and all that was not', async () => {
    using given = leftBehind();
    expect(isLeft(given.path)).toBe(true);
    await vacuum(given.path);
    expect(isLeft(given.path)).toBe(false);
    expect(given.database.prepare('SELECT count(*) AS rows FROM t').get()).toEqual({ rows: 500 });
    given.database.exec("INSERT INTO t VALUES ('new')");
  });

  it('gives way to somebody who writes all the time', async () => {
    using given = leftBehind();
    given.database.exec('BEGIN IMMEDIATE');
    await vacuum(given.path, { busyMs: 0 });
    given.database.exec('COMMIT');
    expect(isLeft(given.path)).toBe(true);
  });

  it('is not done to a file for which it would take long', async () => {
    using given = leftBehind();
    await vacuum(given.path, { mostBytes: 1_000 });
    expect(isLeft(given.path)).toBe(true);
  });

  it('says what is wrong with the file', async () => {
    using given = leftBehind();
    const path = `${given.path}-damaged`;
    writeFileSync(path, 'no database '.repeat(1_000));
    await expect(vacuum(path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('damaged') as string,
    });
  });
});
