import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { makeDatabase, makeNewDatabase, openTestStore } from '../../../fakes/database.ts';
import { onServer } from '../../../fakes/on-server.ts';
import { arrivalOf, messageOf } from '../inbox/support.ts';
import { ENGINES, newFolder, NOW_MS, tool } from './support.ts';

describe.each(ENGINES)('the status of a database on $engine', ({ engine, make }) => {
  it('says what is in it, what waits, and who works on it', async () => {
    const url = await make();
    const store = await openTestStore(url);
    const inbox = createInboxStore({ store, now: () => NOW_MS - 90_000 });
    await inbox.accept(arrivalOf(messageOf(1)));
    const lines = await tool(url, ['status']);
    expect(lines[0]).toContain(engine);
    expect(lines[1]).toMatch(/^Size: \d+\.\d MB$/);
    expect(lines[2]).toMatch(/^Schema: newest, \d{3}-/);
    expect(lines).toContain('Processes at work: 1');
    expect(lines).toContain('Oldest waiting message: 90 s');
    expect(lines.find((line) => /^ +inbox /.test(line))).toMatch(/ 1 row$/);
    await store.destroy();
    expect(await tool(url, ['status'])).toContain('Processes at work: 0');
  });

  it('says that its schema is older, or newer', async () => {
    const url = await make();
    const store = await openTestStore(url);
    await sql`UPDATE kysely_migration SET name = '020-other' WHERE name LIKE '020-%'`.execute(
      store,
    );
    expect((await tool(url, ['status']))[2]).toContain('newer than this program: 020-other');
    await sql`DELETE FROM kysely_migration WHERE name = '020-other'`.execute(store);
    expect((await tool(url, ['status']))[2]).toContain('older than this program, which adds 020-');
  });
});

describe('the program for the database', () => {
  it.each([
    [[], 'Say what to do'],
    [['erase'], 'erase is no command'],
    [['backup'], 'backup needs the name of a file'],
    [['backup', 'a', 'b'], 'backup needs the name of a file'],
    [['backup', 'a', '--replace'], 'backup replaces nothing'],
    [['restore', 'a', '--force'], '--force is unknown'],
    [['status', 'x'], 'status needs nothing more'],
    [['copy', 'sqlite:x'], 'copy needs the database to copy from'],
    [['copy', 'sqlite:x', 'mysql://y'], 'must be sqlite:PATH'],
    [['copy', 'sqlite:x', 'sqlite:x'], 'both are the same database'],
    [['copy', 'sqlite::memory:', 'sqlite:x'], 'a database in memory'],
    [['copy', 'sqlite:/nowhere/x', 'sqlite:y'], 'there is no database at sqlite:/nowhere/x'],
  ])('explains itself when it is given %j', async (args, said) => {
    const failing = tool(`sqlite:${join(newFolder(), 'x.db')}`, args);
    await expect(failing).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining(said),
    });
  });

  it('shows no password', async () => {
    const url = (await makeDatabase()).replace('dragoman@', 'dragoman:hunter2@');
    expect((await tool(url, ['status'])).join()).not.toContain('hunter2');
    const away = 'postgres://dragoman:hunter2@127.0.0.1:1/x';
    await expect(tool(away, ['status'])).rejects.not.toThrow('hunter2');
  });

  it.each(ENGINES)('migrates an empty database on $engine', async ({ engine, make }) => {
    const url = engine === 'SQLite' ? await make() : await makeNewDatabase('template0');
    expect((await tool(url, ['migrate'])).at(-1)).toContain('is up to date');
    expect((await tool(url, ['status']))[2]).toContain('newest');
  });

  it('says nothing of a database of another program but that it is one', async () => {
    const url = await makeNewDatabase('template0');
    await onServer(url, 'CREATE TABLE orders (id integer)');
    for (const args of [['status'], ['migrate'], ['backup', join(newFolder(), 'x.db')]])
      await expect(tool(url, args)).rejects.toThrow('belongs to another program');
  });
});
