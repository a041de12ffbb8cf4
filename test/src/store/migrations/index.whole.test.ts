import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openKeyStore } from '../../../../service/keys/store.ts';
import { openStore } from '../../../../src/store/index.ts';
import { migrate, schemaStatus } from '../../../../src/store/migrations/index.ts';
import { openSqlite } from '../../../../src/store/sqlite/dialect.ts';
import { makeNewDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';

const newPath = (): string => join(mkdtempSync(join(tmpdir(), 'dragoman-')), 'x.db');

/** Both engines: an address of an empty database, and a way to run statements on it. */
const ENGINES = [
  {
    engine: 'SQLite',
    make: async () => {
      const path = newPath();
      const run = async (statement: string): Promise<void> => {
        using database = new DatabaseSync(path);
        database.exec(statement);
      };
      return { url: `sqlite:${path}`, run };
    },
  },
  {
    engine: 'PostgreSQL',
    make: async () => {
      const url = await makeNewDatabase('template0');
      return { url, run: async (statement: string) => onServer(url, statement) };
    },
  },
] as const;

describe.each(ENGINES)('a database on $engine', ({ make }) => {
  it('of a newer version is refused, and stays as it is', async () => {
    const { url, run } = await make();
    await (await openStore(url)).destroy();
    await run(`INSERT INTO kysely_migration VALUES ('999-future', '2030-01-01')`);
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('newer version of this program (999-future)'),
    });
    await run(`DELETE FROM kysely_migration WHERE name = '999-future'`);
    await openTestStore(url);
  });

  it('of another program is refused', async () => {
    const { url, run } = await make();
    await run('CREATE TABLE orders (id integer)');
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('belongs to another program (it has orders)'),
    });
  });

  it('of another program with migrations of its own is refused', async () => {
    const { url, run } = await make();
    await run('CREATE TABLE orders (id integer)');
    await run('CREATE TABLE kysely_migration (name varchar(255), timestamp varchar(255))');
    await run(`INSERT INTO kysely_migration VALUES ('001-orders', '2030-01-01')`);
    await expect(openStore(url)).rejects.toThrow('belongs to another program');
  });
});

describe('migrations', () => {
  it('that fail leave a SQLite database as it was', async () => {
    await using db = new Kysely<unknown>({ dialect: openSqlite(newPath()).dialect });
    const failing = {
      '001-first': {
        up: async (within: Kysely<unknown>) => {
          await sql`CREATE TABLE first (id integer)`.execute(within);
        },
      },
      '002-second': {
        up: async (within: Kysely<unknown>) => {
          await sql`CREATE TABLE second (id integer)`.execute(within);
          await sql`not SQL`.execute(within);
        },
      },
    };
    await expect(migrate(db, failing)).rejects.toThrow('(002-second)');
    expect(await db.introspection.getTables()).toEqual([]);
    expect((await schemaStatus(db)).done).toEqual([]);
    await migrate(db);
    expect((await schemaStatus(db)).missing).toEqual([]);
  });

  it('of two programs at the same moment run once', async () => {
    const url = await makeNewDatabase('template0');
    await Promise.all([1, 2, 3].map(async () => openTestStore(url)));
    const file = `sqlite:${newPath()}`;
    const both = await Promise.allSettled([openTestStore(file), openTestStore(file)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
  });
});

describe('one file for two databases', () => {
  it('is refused by the program where the keys are in it', async () => {
    const path = newPath();
    openKeyStore(path)[Symbol.dispose]();
    await expect(openStore(`sqlite:${path}`)).rejects.toThrow('(it has keys)');
  });

  it('is refused for the keys where the program is in it', async () => {
    const path = newPath();
    await (await openStore(`sqlite:${path}`)).destroy();
    expect(() => openKeyStore(path)).toThrow('choose another SERVICE_DATABASE');
  });
});
