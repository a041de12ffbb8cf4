import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';

/** File with the checksums of files that the catalogue has none of, by their address. */
export const TRUSTED_FILE = '.checksums.json';

/** Computes the digest of a file: SHA-256 in hexadecimal, or SHA-512 as npm's lock files write it. */
export const digestOf = async (path: string, algorithm: 'sha256' | 'sha512'): Promise<string> => {
  const hash = createHash(algorithm);
  await pipeline(createReadStream(path, { highWaterMark: 1 << 20 }), hash);
  return algorithm === 'sha256' ? hash.digest('hex') : `sha512-${hash.digest('base64')}`;
};

const trusted = z.record(z.string(), z.string());

const readTrusted = async (root: string): Promise<Record<string, string>> => {
  try {
    return trusted.parse(JSON.parse(await readFile(join(root, TRUSTED_FILE), 'utf8')));
  } catch {
    return {};
  }
};

/** Throws `AppError` (`bad-reply`) when a file that was trusted before has another content now. */
export const demandTrusted = async (root: string, url: string, sha256: string): Promise<void> => {
  const known = await readTrusted(root);
  if (known[url] !== undefined && known[url] !== sha256)
    throw new AppError(
      'bad-reply',
      `${url} has changed since it was first fetched. If that is expected, remove its line from ${join(root, TRUSTED_FILE)} and try again`,
    );
};

/** Remembers the checksum of a file that was fetched, and from now on must stay the same. */
export const trustFile = async (root: string, url: string, sha256: string): Promise<void> => {
  const known = await readTrusted(root);
  if (known[url] === sha256) return;
  const path = join(root, TRUSTED_FILE);
  await writeFile(`${path}.new`, `${JSON.stringify({ ...known, [url]: sha256 }, undefined, 2)}\n`);
  await rename(`${path}.new`, path);
};
