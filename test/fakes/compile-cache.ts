import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');
/** There once the cache holds what a start of the program loads, in this version of Node.js. */
const FILLED = join(ROOT, 'node_modules/.cache', `filled-by-${process.version}`);

/** Fills the compile cache where nothing has: of programs that are killed, none would keep what it compiled. */
export default async (): Promise<void> => {
  if (existsSync(FILLED)) return;
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/fill-compile-cache.mjs')]);
  await writeFile(FILLED, '');
};
