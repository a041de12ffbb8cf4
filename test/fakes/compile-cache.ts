import { execFile } from 'node:child_process';
import { globSync, readFileSync, statSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');
/** Names what filled the cache last. */
const FILLED = join(CACHE, 'filled-by');
const SOURCES = ['main.ts', 'package-lock.json', '{src,adapters,commands,service}/**/*.ts'];

/** What the cache depends on: the version of Node.js, the place of the files, and their latest change. */
const currentKey = (): string => {
  const changedMs = globSync(SOURCES, { cwd: ROOT }).map(
    (file) => statSync(join(ROOT, file)).mtimeMs,
  );
  return `${process.version} ${ROOT} ${Math.max(...changedMs)}`;
};

const filledKey = (): string | undefined => {
  try {
    return readFileSync(FILLED, 'utf8');
  } catch {
    return undefined;
  }
};

/**
 * Gives the processes of the tests the compile cache of the program, and fills it after each change of the program: of
 * programs that are killed, none would keep what it compiled, and each start would take twice the processor time.
 */
export default async (): Promise<void> => {
  process.env['NODE_COMPILE_CACHE'] = join(CACHE, 'compile');
  const key = currentKey();
  if (filledKey() === key) return;
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/fill-compile-cache.mjs')]);
  await mkdir(CACHE, { recursive: true });
  await writeFile(FILLED, key);
};
