import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { openTestStore } from '../../../fakes/database.ts';

const newFolder = (): string => mkdtempSync(join(tmpdir(), 'dragoman-owner-'));

/** A process that has the database open until it is killed. */
const openElsewhere = async (url: string) => {
  const code = `
    const { openStore } = await import(${JSON.stringify(join(process.cwd(), 'src/store/index.ts'))});
    await openStore(${JSON.stringify(url)});
    console.log('open');
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', code]);
  await once(child.stdout, 'data');
  return child;
};

describe('the owner of a SQLite database', () => {
  it('is one process: a second one is refused with a sentence, until the first has ended', async () => {
    const url = `sqlite:${join(newFolder(), 'x.db')}`;
    const child = await openElsewhere(url);
    await expect(openStore(url)).rejects.toMatchObject({
      code: 'config',
      message: expect.stringContaining('is in use by another program; end it'),
    });
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
    await openTestStore(url);
  });

  it('is one also where the file has two names', async () => {
    const folder = newFolder();
    await openTestStore(`sqlite:${join(folder, 'x.db')}`);
    symlinkSync(join(folder, 'x.db'), join(folder, 'y.db'));
    await expect(openStore(`sqlite:${join(folder, 'y.db')}`)).rejects.toThrow('in use by another');
  });

  it('lets guests read and write beside it', async () => {
    const url = `sqlite:${join(newFolder(), 'x.db')}`;
    await openTestStore(url);
    const guest = await openTestStore(url, { isGuest: true });
    expect(await guest.selectFrom('inbox').selectAll().execute()).toEqual([]);
    expect(await guest.findFault({ anew: true })).toBeUndefined();
    await openTestStore(url, { isGuest: true });
  });

  it('is a guest that found nobody', async () => {
    const url = `sqlite:${join(newFolder(), 'x.db')}`;
    await openTestStore(url, { isGuest: true });
    await expect(openStore(url)).rejects.toThrow('in use by another');
  });

  it('leaves no journal behind', async () => {
    const folder = newFolder();
    await (await openStore(`sqlite:${join(folder, 'x.db')}`)).destroy();
    expect(readdirSync(folder).toSorted()).toEqual(['x.db', 'x.db-owner']);
  });
});
