// Strips the types of the program's TypeScript, for `load-stripped.mjs`: at the first start after a change, and for
// images, whose files cannot be written later.
import { hash } from 'node:crypto';
import { globSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
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
