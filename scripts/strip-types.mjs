// Strips the types of the program's TypeScript, for `load-stripped.mjs`: at the first start after a change, and for
// images, whose files cannot be written later.
import { hash } from 'node:crypto';
import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { FOLDER, SOURCES } from './load-stripped.mjs';

const root = join(import.meta.dirname, '..');
mkdirSync(FOLDER, { recursive: true });
const exclude = ['node_modules', 'test', 'bench'];
for (const name of globSync('**/*.ts', { cwd: root, exclude })) {
  if (!SOURCES.test(name.replaceAll('\\', '/'))) continue;
  const source = readFileSync(join(root, name), 'utf8');
  const file = join(FOLDER, hash('sha1', source));
  // Renamed, so that nobody reads half of it.
  const part = `${file}.${process.pid}`;
  writeFileSync(part, stripTypeScriptTypes(source));
  renameSync(part, file);
}

// What was written long ago is of earlier sources: all of today's have just been written.
const KEPT_MS = 30 * 24 * 60 * 60 * 1_000;
// The program waits for this process; the rest is looked at another time.
const MOST_LOOKED_AT = 5_000;
const versions = join(FOLDER, '..');
const names = readdirSync(versions, { recursive: true, withFileTypes: true });
for (const found of names.filter((each) => each.isFile()).slice(0, MOST_LOOKED_AT)) {
  const file = join(found.parentPath, found.name);
  try {
    if (statSync(file).mtimeMs < Date.now() - KEPT_MS) rmSync(file);
  } catch {
    // Another process has removed it.
  }
}
