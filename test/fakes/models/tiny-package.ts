import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { NativePackage } from '../../../service/models/packages.ts';
import { makeTar } from './archive.ts';
import type { Mirror } from './mirror.ts';
import { LIBRARY } from './tiny-llama-library.ts';

const PARTS = [
  { path: '@tiny/for-here', isOptional: true },
  { path: '@tiny/for-elsewhere', isOptional: true },
  { path: 'tiny-llama', isOptional: false },
  { path: 'tiny-llama/node_modules/needed', isOptional: false },
];

/**
 * A package with a part for this machine and one for another, as npm's lock file names them, which a
 * mirror serves as npm's registry does. All are of version 1.0.0.
 */
export const writeTinyPackage = async (folder: string, mirror: Mirror): Promise<NativePackage> => {
  const packages: Record<string, object> = { '': { dependencies: { 'tiny-llama': '1.0.0' } } };
  for (const { path, isOptional } of PARTS) {
    const name = path.split('node_modules/').at(-1)!;
    const content = JSON.stringify({ name, type: 'module', scripts: { install: 'exit 1' } });
    const archive = gzipSync(
      await makeTar([
        { name: 'package/package.json', content },
        { name: 'package/dist/index.js', content: LIBRARY },
      ]),
    );
    mirror.serve(`/${name}/-/${name.split('/').at(-1)}-1.0.0.tgz`, archive);
    packages[`node_modules/${path}`] = {
      version: '1.0.0',
      integrity: `sha512-${createHash('sha512').update(archive).digest('base64')}`,
      ...(isOptional ? { optional: true } : {}),
    };
  }
  const lock = join(folder, 'tiny-package-lock.json');
  writeFileSync(lock, JSON.stringify({ lockfileVersion: 3, packages }));
  return { name: 'tiny-llama', lock: pathToFileURL(lock), bytes: 1_000, binary: '@tiny/for-here' };
};
