import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = join(import.meta.dirname, '../..');

/** Has the tests compile once what they load, and strips the types of the program that they start. */
export default async (): Promise<void> => {
  process.env['NODE_COMPILE_CACHE'] = join(ROOT, 'node_modules/.cache/compile');
  await promisify(execFile)(process.execPath, [join(ROOT, 'scripts/strip-types.mjs')]);
};
