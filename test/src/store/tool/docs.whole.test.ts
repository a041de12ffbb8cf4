import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, it } from 'vitest';
import { makeDatabase } from '../../../fakes/database.ts';
import { contentOf, fillAt, newFolder, tool } from './support.ts';

const section = readFileSync('docs/operations.md', 'utf8').split('\n## Database')[1] ?? '';
const lines = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('npm run db -- '))
  .map((line) => line.slice('npm run db -- '.length));

it('the page about operations says commands that work, in their order', async () => {
  const folder = newFolder();
  const sqlite = `sqlite:${join(folder, 'dragoman.db')}`;
  const places = new Map([
    ['backup.db', join(folder, 'backup.db')],
    ['sqlite:data/dragoman.db', sqlite],
    ['postgres://dragoman:secret@db.internal/dragoman', await makeDatabase()],
  ]);
  await fillAt(sqlite, 3);
  const said: string[] = [];
  for (const line of lines) {
    const args = line.split(' ').map((word) => places.get(word) ?? word);
    said.push(...(await tool(sqlite, args)));
  }
  expect(lines.map((line) => line.split(' ')[0])).toEqual(['status', 'backup', 'restore', 'copy']);
  expect(said.at(-1)).toMatch(/^All rows are in postgres:/);
  const [copied = ''] = [...places.values()].slice(-1);
  expect((await contentOf(copied))['glossary_term']).toHaveLength(3);
});

it('the program itself ends with 0, or with a sentence and 1', async () => {
  const run = async (...args: readonly string[]) => {
    const DATABASE_URL = `sqlite:${join(newFolder(), 'x.db')}`;
    const child = spawn(process.execPath, ['scripts/run.mjs', 'db.ts', ...args], {
      env: { PATH: process.env['PATH'], DATABASE_URL },
    });
    const [[code], told, said] = await Promise.all([
      once(child, 'exit') as Promise<[number]>,
      text(child.stdout),
      text(child.stderr),
    ]);
    return { code, told, said };
  };
  const fine = await run('migrate');
  expect([fine.code, fine.said]).toEqual([0, '']);
  expect(fine.told).toContain('is up to date.');
  const wrong = await run('erase');
  expect(wrong.code).toBe(1);
  expect(wrong.said).toContain('erase is no command');
  expect(wrong.said).not.toContain('    at ');
});
