import { existsSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { arrivalOf, EARLIER, messageOf, PARTITION } from '../inbox/support.ts';
import { contentOf, ENGINES, fill, fillAt, newFolder, tool, withoutClaims } from './support.ts';

/** What is compared: a restored database remembers that it was restored. */
const rowCount = async (url: string) => {
  const { restoration: _, inbox, ...rest } = withoutClaims(await contentOf(url));
  return { ...rest, messages: inbox?.length };
};

afterEach(() => vi.unstubAllEnvs());

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

  it('is one file, without what belongs to processes', async () => {
    const url = await make();
    await fillAt(url);
    const folder = newFolder();
    await tool(url, ['backup', join(folder, 'backup.db')]);
    expect(readdirSync(folder)).toEqual(['backup.db']);
    using database = new DatabaseSync(join(folder, 'backup.db'));
    for (const table of ['lease', 'machine', 'revision'])
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
    await expect(tool(await makeDatabase('template0'), ['backup', other])).rejects.toThrow(
      'nothing to back up',
    );
    await expect(tool(url, ['backup', '/dev/null/x.db'])).rejects.toThrow('no folder /dev');
    expect(existsSync(other)).toBe(false);
  });
});
