import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Strips the types of the program that the tests start, before several of them would at the same time. */
export default async (): Promise<void> => {
  const script = join(import.meta.dirname, '../../scripts/strip-types.mjs');
  await promisify(execFile)(process.execPath, [script]);
};
