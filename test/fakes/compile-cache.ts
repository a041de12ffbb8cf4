import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache');
/** There once the cache holds what a start of the program loads, in this version of Node.js. */
const FILLED = join(CACHE, `filled-by-${process.version}`);

/**
 * Gives the processes of the tests the compile cache of the program, and fills it where nothing has: of programs that
 * are killed, none would keep what it compiled.
 */
export default async (): Promise<void> => {
  process.env['NODE_COMPILE_CACHE'] = join(CACHE, 'compile');
  if (existsSync(FILLED)) return;
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/fill-compile-cache.mjs')]);
  await writeFile(FILLED, '');
};
