import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

/** Folder of installed packages, in the folder of models. */
export const PACKAGES = '.packages';

/** A package with native parts that `npm ci` does not bring. */
export interface NativePackage {
  readonly name: string;
  /** npm's lock file of the package and of what it needs. */
  readonly lock: URL;
  /** Size of what is fetched, about. */
  readonly bytes: number;
  /** Name of the package with the binary for this machine; undefined where there is none. */
  readonly binary: string | undefined;
}

const PLATFORMS: Readonly<Record<string, string>> = {
  'linux-x64': 'linux-x64',
  'linux-arm64': 'linux-arm64',
  'darwin-x64': 'mac-x64',
  'darwin-arm64': 'mac-arm64-metal',
  'win32-x64': 'win-x64',
  'win32-arm64': 'win-arm64',
};

/** True on Linux with another C library than glibc: musl, as in Alpine. */
export const isMusl = (): boolean => {
  const { header } = process.report.getReport() as { header: { glibcVersionRuntime?: string } };
  return process.platform === 'linux' && header.glibcVersionRuntime === undefined;
};

/** The package of language models. Its binaries for graphics cards, 600 MB, are left out. */
export const llamaPackage = (): NativePackage => {
  const platform = isMusl() ? undefined : PLATFORMS[`${process.platform}-${process.arch}`];
  return {
    name: 'node-llama-cpp',
    lock: new URL('./packages/node-llama-cpp/package-lock.json', import.meta.url),
    bytes: 49e6,
    binary: platform === undefined ? undefined : `@node-llama-cpp/${platform}`,
  };
};

/** The part of npm's lock files (version 3) that is used here; paths are keys. */
const lockShape = z.object({
  packages: z.record(
    z.string(),
    z.object({
      version: z.string().optional(),
      integrity: z.string().startsWith('sha512-').optional(),
      optional: z.boolean().optional(),
    }),
  ),
});

/** Reads the packages of a lock file, by their paths. */
export const readLock = async ({ lock }: NativePackage) =>
  lockShape.parse(JSON.parse(await readFile(lock, 'utf8'))).packages;

/**
 * Finds where a package is in the version of its lock file: `folder` with all that it needs, `main` with its own
 * `package.json`, and whether it is there.
 */
export const locatePackage = async (root: string, wanted: NativePackage) => {
  const { name } = wanted;
  const { version } = (await readLock(wanted))[`node_modules/${name}`] ?? {};
  const folder = join(root, PACKAGES, `${name}-${version}`);
  const main = join(folder, 'node_modules', name);
  return { folder, main, isInstalled: existsSync(main) };
};

/**
 * The folder of an installed package, whose `package.json` says what to import; undefined where it
 * is not installed in the version of its lock file.
 */
export const installedPackage = async (
  root: string,
  wanted: NativePackage,
): Promise<string | undefined> => {
  const { main, isInstalled } = await locatePackage(root, wanted);
  return isInstalled ? main : undefined;
};
