import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { makeDatabase, makeNewDatabase, openTestStore } from '../../../fakes/database.ts';
import { DEAD_PID } from '../../../fakes/dead-pid.ts';
import { arrivalOf, EARLIER, messageOf, PARTITION } from '../inbox/support.ts';
import { readAddress, openAsItIs } from '../../../../src/store/tool/status.ts';
import { runTool } from '../../../../src/store/tool/run.ts';
import {
  contentOf,
  ENGINES,
  fill,
  fillAt,
  newFolder,
  NOW_MS,
  tool,
  withoutClaims,
} from './support.ts';
import { sql } from 'kysely';
import { openSource } from '../../../../src/store/tool/source.ts';

/** What is compared: a restored database remembers that it was restored. */
const rowCount = async (url: string) => {
  const { restoration: _, inbox, ...rest } = withoutClaims(await contentOf(url));
  return { ...rest, messages: inbox?.length };
};

afterEach(() => vi.unstubAllEnvs());

/** Puts rows into the tables of what processes share. */
const fillOwnTables = (store: Store): Promise<void> =>
  store.write(async (db) => {
    await db.insertInto('quota').values({ name: 'q', used_until_us: 1, granted: 1 }).execute();
    await db.insertInto('agreement').values({ name: 'a', value: 1 }).execute();
    const state = { name: 's', state: '{}', changed_ms: 1 };
    await db.insertInto('shared_state').values(state).execute();
  });

describe.each(ENGINES)('a backup of $engine', ({ make }) => {
  it('is made while a program works, and brings every row back, on both engines', async () => {
    const url = await make();
    const store = await openTestStore(url);
    await fill(store, 30);
    const before = await rowCount(url);
    const file = join(newFolder(), 'backup.db');
    expect(await tool(url, ['backup', file])).toContain(`The backup is in ${file}.`);
    expect(statSync(file).mode & 0o077).toBe(0);
    for (const engine of ENGINES) {
      const target = await engine.make();
      await tool(target, ['restore', file]);
      expect(await rowCount(target)).toEqual(before);
    }
  });

  it('can be read by nobody else while it is made', async () => {
    const url = await make();
    await fillAt(url);
    const file = join(newFolder(), 'backup.db');
    const modes: number[] = [];
    await runTool(['backup', file], {
      databaseUrl: url,
      say: () => {
        const made = [`${file}.part`, `${file}.part-journal`, file];
        modes.push(...made.filter(existsSync).map((path) => statSync(path).mode & 0o077));
      },
      signal: new AbortController().signal,
      nowMs: () => NOW_MS,
    });
    expect(new Set(modes)).toEqual(new Set([0]));
  });

  it('leaves a database into which it is restored nothing that processes shared there', async () => {
    const [url, target] = [await make(), await make()];
    await fillAt(url);
    const file = join(newFolder(), 'backup.db');
    await tool(url, ['backup', file]);
    {
      await using store = await openStore(target);
      await fillOwnTables(store);
    }
    await tool(target, ['restore', file, '--replace']);
    await using store = openAsItIs(readAddress(target));
    for (const table of ['quota', 'agreement', 'shared_state'] as const)
      expect(await store.selectFrom(table).selectAll().execute()).toEqual([]);
  });

  it('is one file, without what belongs to processes', async () => {
    const url = await make();
    await using store = await openStore(url);
    await fill(store);
    await fillOwnTables(store);
    const folder = newFolder();
    await tool(url, ['backup', join(folder, 'backup.db')]);
    expect(readdirSync(folder)).toEqual(['backup.db']);
    using database = new DatabaseSync(join(folder, 'backup.db'));
    for (const table of ['lease', 'machine', 'revision', 'quota', 'agreement', 'shared_state'])
      expect(database.prepare(`SELECT * FROM ${table}`).all()).toEqual([]);
  });

  it('takes the place of what is there only when it is told to', async () => {
    const [url, other] = [await make(), await make()];
    await fillAt(url, 2);
    await fillAt(other, 4);
    const before = await rowCount(other);
    const file = join(newFolder(), 'backup.db');
    await tool(url, ['backup', file]);
    await expect(tool(other, ['restore', file])).rejects.toThrow('is not empty');
    expect(await rowCount(other)).toEqual(before);
    await tool(other, ['restore', file, '--replace']);
    expect(await rowCount(other)).toEqual(await rowCount(url));
  });

  it('is unpacked beside its file, for a temporary folder may be small', async () => {
    const [url, other] = [await make(), await make()];
    await fillAt(url, 2);
    const folder = newFolder();
    await tool(url, ['backup', join(folder, 'backup.db')]);
    vi.stubEnv('TMPDIR', join(folder, 'away'));
    await tool(other, ['restore', join(folder, 'backup.db')]);
    expect(await rowCount(other)).toEqual(await rowCount(url));
    expect(readdirSync(folder)).toEqual(['backup.db']);
  });

  it('is restored without what a restoration that was killed has left', async () => {
    const [url, other] = [await make(), await makeDatabase()];
    await fillAt(url, 2);
    const folder = newFolder();
    await tool(url, ['backup', join(folder, 'backup.db')]);
    mkdirSync(join(folder, `.dragoman-restore-${DEAD_PID}-1-abcdef`));
    await tool(other, ['restore', join(folder, 'backup.db')]);
    expect(readdirSync(folder)).toEqual(['backup.db']);
  });

  it('is not restored while a program works on the database', async () => {
    const url = await make();
    await fillAt(url, 2);
    const file = join(newFolder(), 'backup.db');
    await tool(url, ['backup', file]);
    await openTestStore(url);
    await expect(tool(url, ['restore', file, '--replace'])).rejects.toThrow(
      /in use by|works on the/,
    );
  });

  it('posts nothing again: not what waited then, and not what was written since', async () => {
    const url = await make();
    const file = join(newFolder(), 'backup.db');
    {
      await using store = await openTestStore(url);
      const inbox = createInboxStore({ store, now: () => 1_000 });
      await inbox.accept(arrivalOf(messageOf(1)));
      await tool(url, ['backup', file]);
      // Both are posted after the backup.
      await inbox.accept(arrivalOf(messageOf(2)));
    }
    await tool(url, ['restore', file, '--replace']);
    const store = await openTestStore(url);
    const inbox = createInboxStore({ store, now: () => 1_000 });
    await inbox.accept(arrivalOf(messageOf(2)));
    const later = { ...arrivalOf(messageOf(3)), writtenMs: Date.now() + 60_000 };
    await inbox.accept(later);
    const { rows } = await inbox.claim(PARTITION, 3, EARLIER);
    expect(rows.map(({ mayExist }) => mayExist)).toEqual([true, true, false]);
  });
});

describe('restoring', () => {
  it('refuses a file that is damaged, of another program, of a newer version, or not there', async () => {
    const [{ make }] = ENGINES;
    const url = await make();
    await fillAt(url, 200);
    const folder = newFolder();
    const damaged = join(folder, 'damaged.db');
    await tool(url, ['backup', damaged]);
    truncateSync(damaged, Math.floor(statSync(damaged).size / 2));
    const text = join(folder, 'text.db');
    writeFileSync(text, 'not a database, whatever its name is '.repeat(100));
    const foreign = join(folder, 'foreign.db');
    new DatabaseSync(foreign).exec('CREATE TABLE orders (id INTEGER)');
    const newer = join(folder, 'newer.db');
    await tool(url, ['backup', newer]);
    new DatabaseSync(newer).exec(`INSERT INTO kysely_migration VALUES ('999-future', '2030')`);
    const before = await rowCount(url);
    for (const [file, said] of [
      [damaged, 'is damaged, or no backup'],
      [text, 'is damaged, or no backup'],
      [foreign, 'belongs to another program'],
      [newer, 'newer version'],
      [join(folder, 'nothing.db'), 'there is no file'],
    ] as const)
      for (const target of [url, await makeDatabase()])
        await expect(tool(target, ['restore', file, '--replace']), file).rejects.toThrow(said);
    expect(await rowCount(url)).toEqual(before);
  });

  it('replaces a SQLite database that is damaged', async () => {
    const [{ make }] = ENGINES;
    const url = await make();
    await fillAt(url, 5);
    const file = join(newFolder(), 'backup.db');
    await tool(url, ['backup', file]);
    const before = await rowCount(url);
    writeFileSync(url.slice('sqlite:'.length), 'damaged '.repeat(5_000));
    await tool(url, ['restore', file, '--replace']);
    expect(await rowCount(url)).toEqual(before);
  });

  it('of a copy of the file of a SQLite database is possible, too', async () => {
    const [{ make }] = ENGINES;
    const [url, target] = [await make(), await make()];
    await fillAt(url, 5);
    await tool(target, ['restore', url.slice('sqlite:'.length)]);
    expect(await rowCount(target)).toEqual(await rowCount(url));
  });
});

describe('backing up', () => {
  it('writes over no file, and nothing for a database that is not there', async () => {
    const [{ make }] = ENGINES;
    const url = await make();
    await fillAt(url, 1);
    const file = join(newFolder(), 'backup.db');
    await tool(url, ['backup', file]);
    await expect(tool(url, ['backup', file])).rejects.toThrow('is there already');
    const other = join(newFolder(), 'other.db');
    await expect(tool(await make(), ['backup', other])).rejects.toThrow('nothing to back up');
    await expect(tool(await makeNewDatabase('template0'), ['backup', other])).rejects.toThrow(
      'nothing to back up',
    );
    await expect(tool(url, ['backup', '/dev/null/x.db'])).rejects.toThrow('no folder /dev');
    expect(existsSync(other)).toBe(false);
  });
});

const [SQLITE, POSTGRES] = ENGINES;

describe('copying a database', () => {
  it.each([
    ['SQLite to PostgreSQL and back', SQLITE, POSTGRES],
    ['PostgreSQL to SQLite and back', POSTGRES, SQLITE],
  ])('from %s keeps every row as it is', async (_, first, second) => {
    const [from, to, back] = [await first.make(), await second.make(), await first.make()];
    await fillAt(from, 410);
    const before = withoutClaims(await contentOf(from));
    expect(Object.values(before).every((rows) => rows.length > 0)).toBe(true);
    const lines = await tool(from, ['copy', from, to]);
    expect(lines).toContain('inbox: 410 rows');
    expect(await contentOf(to)).toEqual(before);
    await tool(from, ['copy', to, back]);
    expect(await contentOf(back)).toEqual(before);
  });

  it('has PostgreSQL number what comes next behind the largest', async () => {
    const [from, to] = [await SQLITE.make(), await POSTGRES.make()];
    await fillAt(from, 7);
    await tool(from, ['copy', from, to]);
    const store = await openTestStore(to);
    const { number } = await store.write((db) =>
      db
        .insertInto('delivery')
        .values({
          platform: 'p',
          id: 'new',
          space_id: 's',
          order_key: 'k',
          slot: 0,
          received_ms: 0,
        })
        .returning('number')
        .executeTakeFirstOrThrow(),
    );
    expect(number).toBe(8);
  });

  it.each(ENGINES)('refuses a $engine that has rows, and leaves them', async ({ make }) => {
    const [from, to] = [await SQLITE.make(), await make()];
    await fillAt(from, 2);
    await fillAt(to, 3);
    const before = await contentOf(to);
    await expect(tool(from, ['copy', from, to])).rejects.toThrow('is not empty');
    expect(await contentOf(to)).toEqual(before);
    await tool(from, ['copy', from, to, '--replace']);
    expect(await contentOf(to)).toEqual(withoutClaims(await contentOf(from)));
  });

  it.each(ENGINES)(
    'refuses a $engine on which a program works, to or from it',
    async ({ make }) => {
      const [other, used] = [await SQLITE.make(), await make()];
      await fillAt(other, 2);
      const store = await openTestStore(used);
      await expect(tool(other, ['copy', other, used])).rejects.toThrow(/in use by|works on the/);
      await expect(tool(other, ['copy', used, other, '--replace'])).rejects.toThrow(
        /in use by|works on the/,
      );
      await store.destroy();
      await tool(other, ['copy', other, used]);
    },
  );

  it('from PostgreSQL has no process begin to work on it meanwhile', async () => {
    const from = await POSTGRES.make();
    await fillAt(from, 2);
    await using other = openAsItIs(readAddress(from));
    const begin = async (): Promise<unknown> =>
      other
        .transaction()
        .execute((within) => sql`LOCK TABLE lease IN ROW EXCLUSIVE MODE NOWAIT`.execute(within));
    {
      await using _ = await openSource(readAddress(from), { isLocked: true });
      await expect(begin()).rejects.toThrow('too long to answer');
    }
    await begin();
  });

  it.each(ENGINES)('to $engine that is stopped half-way leaves it as it was', async ({ make }) => {
    const [from, to] = [await SQLITE.make(), await make()];
    await fillAt(from, 3);
    await fillAt(to, 2);
    const before = await contentOf(to);
    const stopping = new AbortController();
    stopping.abort(new Error('stopped'));
    const copying = tool(from, ['copy', from, to, '--replace'], stopping.signal);
    await expect(copying).rejects.toThrow('stopped');
    expect(await contentOf(to)).toEqual(before);
  });

  it('names a table whose text PostgreSQL does not store, and leaves everything as it was', async () => {
    const [from, to] = [await SQLITE.make(), await POSTGRES.make()];
    const store = await openTestStore(from);
    await store.write((db) =>
      db
        .insertInto('space_setting')
        .values({ platform: 'p', space_id: 'a\0b', choices: '' })
        .execute(),
    );
    await store.destroy();
    await expect(tool(from, ['copy', from, to])).rejects.toThrow(
      'a row in space_setting has a zero',
    );
    expect(Object.values(await contentOf(to)).flat()).toEqual([]);
  });
});
