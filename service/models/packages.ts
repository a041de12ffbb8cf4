import { mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { AppError } from '../../src/errors.ts';
import { syncFiles } from './disk.ts';
import { download, removeDownload, type DownloadDeps } from './download.ts';
import { innermostFolder, STAGING, unpack } from './unpack.ts';

/** Folder of installed packages, in the folder of models. */
const PACKAGES = '.packages';

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
const isMusl = (): boolean => {
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

/** The address of a package of a lock file, which names none where it is that of npm's registry. */
const addressOf = (path: string, version = ''): string => {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `https://registry.npmjs.org/${name}/-/${basename(name)}-${version}.tgz`;
};

const readLock = async ({ lock }: NativePackage) =>
  lockShape.parse(JSON.parse(await readFile(lock, 'utf8'))).packages;

const folderOf = async (root: string, wanted: NativePackage): Promise<string> => {
  const { name } = wanted;
  const { version } = (await readLock(wanted))[`node_modules/${name}`] ?? {};
  return join(root, PACKAGES, `${name}-${version}`);
};

const partOf = (folder: string, name: string): string => join(folder, 'node_modules', name);

/**
 * The folder of an installed package, whose `package.json` says what to import; undefined where it
 * is not installed in the version of its lock file.
 */
export const installedPackage = async (
  root: string,
  wanted: NativePackage,
): Promise<string | undefined> => {
  const folder = partOf(await folderOf(root, wanted), wanted.name);
  return (await stat(folder).catch(() => undefined)) === undefined ? undefined : folder;
};

/**
 * Installs a package and what it needs below the folder of models, with the binary of this machine
 * alone, and resolves with its folder. No script of a package runs. Throws `AppError` with an operator's sentence.
 */
export const installPackage = async (
  native: NativePackage,
  deps: DownloadDeps,
): Promise<string> => {
  const { root, signal } = deps;
  const { name, bytes, binary } = native;
  const present = await installedPackage(root, native);
  if (present !== undefined) return present;
  if (binary === undefined)
    throw new AppError(
      'unsupported',
      `Language models cannot run here: ${name} has no binary for ${process.platform} ${process.arch}${isMusl() ? ' with musl. Use a Linux with glibc, such as Debian' : ''}, or set SERVICE_OPENAI_URL to a server that has the OpenAI API`,
    );
  const wanted = Object.entries(await readLock(native))
    .filter(
      ([path, { optional = false }]) => path === `node_modules/${binary}` || (!optional && path),
    )
    .map(([path, { version, integrity }]) => ({ path, url: addressOf(path, version), integrity }));
  const staging = await mkdtemp(join(root, STAGING));
  try {
    let fetchedBytes = 0;
    for (const { path, url, integrity } of wanted) {
      const before = fetchedBytes;
      const archive = await download(
        { url, integrity },
        {
          ...deps,
          onProgress: ({ doneBytes }) => {
            fetchedBytes = before + doneBytes;
            deps.onProgress({ doneBytes: fetchedBytes, totalBytes: Math.max(bytes, fetchedBytes) });
          },
        },
      );
      const unpacked = join(staging, 'unpacked');
      await mkdir(unpacked);
      await unpack(archive.path, basename(url), unpacked, signal);
      await mkdir(dirname(join(staging, 'whole', path)), { recursive: true });
      await rename(await innermostFolder(unpacked), join(staging, 'whole', path));
      await rm(unpacked, { recursive: true, force: true });
    }
    await mkdir(join(root, PACKAGES), { recursive: true });
    await syncFiles(join(staging, 'whole'));
    const folder = await folderOf(root, native);
    await rename(join(staging, 'whole'), folder);
    for (const { url } of wanted) await removeDownload(root, url);
    return partOf(folder, name);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
};
