import { mkdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { staging } from './changes.ts';
import { syncFiles } from './disk.ts';
import { download, removeDownload, type DownloadDeps, type DownloadProgress } from './download.ts';
import { isMusl, locatePackage, PACKAGES, readLock, type NativePackage } from './packages.ts';
import { innermostFolder, unpack } from './unpack.ts';

/** The address of a package of a lock file, which names none where it is that of npm's registry. */
const addressOf = (path: string, version = ''): string => {
  const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `https://registry.npmjs.org/${name}/-/${basename(name)}-${version}.tgz`;
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
  const { folder, main, isInstalled } = await locatePackage(root, native);
  if (isInstalled) return main;
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
  await staging(root, async (beside) => {
    const whole = join(beside, 'whole');
    let fetchedBytes = 0;
    for (const { path, url, integrity } of wanted) {
      const before = fetchedBytes;
      const onProgress = ({ doneBytes }: DownloadProgress): void => {
        fetchedBytes = before + doneBytes;
        deps.onProgress({ doneBytes: fetchedBytes, totalBytes: Math.max(bytes, fetchedBytes) });
      };
      const archive = await download({ url, integrity }, { ...deps, onProgress });
      const unpacked = join(beside, 'unpacked');
      await mkdir(unpacked);
      await unpack(archive.path, basename(url), unpacked, signal);
      await mkdir(dirname(join(whole, path)), { recursive: true });
      await rename(await innermostFolder(unpacked), join(whole, path));
      await rm(unpacked, { recursive: true, force: true });
    }
    await syncFiles(whole);
    await mkdir(join(root, PACKAGES), { recursive: true });
    await rename(whole, folder);
  });
  for (const { url } of wanted) await removeDownload(root, url);
  return main;
};
