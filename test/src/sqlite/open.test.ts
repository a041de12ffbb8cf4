import { mkdtempSync, readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openDatabase } from '../../../src/sqlite/open.ts';

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
