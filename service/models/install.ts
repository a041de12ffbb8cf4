import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { AppError } from '../../src/errors.ts';
import { preparePiperVoice, settingsBeside, settingsFile } from '../engines/sherpa-onnx/piper.ts';
import { MODEL_NAME, type CatalogueModel } from './catalogue.ts';
import { demandTrusted, trustFile } from './checksum.ts';
import {
  download,
  removeDownload,
  type Downloaded,
  type DownloadDeps,
  type DownloadProgress,
} from './download.ts';
import { isModel, listInstalled, writeRecord, type ModelRecord } from './installed.ts';
import { installPackage } from './install-package.ts';
import type { NativePackage } from './packages.ts';
import { staging } from './changes.ts';
import { syncFiles, writeError } from './disk.ts';
import { copyFolder, innermostFolder, nameWithoutEnding, unpack } from './unpack.ts';
import { findLayout, type Layout } from './layout.ts';
import { measuresOf, tryModel } from './trial.ts';

type ModelAbility = CatalogueModel['ability'];

/** Endings of files for which there can be others, quantised ones. */
const WEIGHTS = /\.(?:onnx|weights)$/;

/** Removes weights that the engine does not use, and samples: half of what Whisper comes with. */
const removeUnused = async (folder: string, layout: Layout): Promise<void> => {
  const used = JSON.stringify(layout);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const isSample =
      entry.isDirectory() && entry.name === 'test_wavs' && !used.includes('test_wavs');
    const weights = `/${entry.name.replace(WEIGHTS, '')}.onnx`;
    const isSpare = entry.isFile() && WEIGHTS.test(entry.name) && !used.includes(weights);
    if (isSample || isSpare) await rm(join(folder, entry.name), { recursive: true });
  }
};

export interface InstallDeps extends DownloadDeps {
  readonly now: () => Date;
  /** The package that language models run in. */
  readonly llama: NativePackage;
  /** Notes for the operator. */
  readonly note: (text: string) => void;
}

export type InstallResult =
  | {
      readonly kind: 'installed';
      readonly name: string;
      readonly ability: ModelAbility;
      /** Measurements for people: `follows 2 speakers at once`. */
      readonly measures: readonly string[];
    }
  | { readonly kind: 'present'; readonly name: string };

/** A model that is to be installed, and what is known of it. */
interface Wanted {
  readonly name: string;
  readonly record: Omit<ModelRecord, 'name' | 'installedAt'>;
  /** Ability that it should have; undefined for one that is not of the catalogue. */
  readonly expected?: ModelAbility;
}

/**
 * Puts a model into the folder of models: `fill` writes its files into a folder beside, which is
 * checked, tried and then renamed, so that the model is there whole or not at all.
 */
const place = (
  { name, record, expected }: Wanted,
  { root, now, note, signal, ...deps }: InstallDeps,
  fill: (folder: string) => Promise<void>,
): Promise<InstallResult> =>
  staging(root, async (beside) => {
    try {
      const folder = join(beside, name);
      await mkdir(folder);
      await fill(folder);
      const inner = await innermostFolder(folder);
      await preparePiperVoice(inner);
      const layout = await findLayout(inner);
      const { ability } = layout;
      if (expected !== undefined && expected !== ability)
        throw new AppError(
          'config',
          `${name} should serve ${expected}, but its files are for ${ability}`,
        );
      await removeUnused(inner, layout);
      const { untried, measured } = await tryModel(inner, layout, signal, () =>
        installPackage(deps.llama, { root, signal, ...deps }),
      );
      if (untried !== undefined) note(`${name} was not tried: ${untried}.`);
      await writeRecord(inner, {
        ...record,
        name,
        ...(measured ? { measured } : {}),
        installedAt: now().toISOString(),
      });
      await syncFiles(inner);
      await rename(inner, join(root, name));
      return { kind: 'installed', name, ability, measures: measuresOf(ability, measured) };
    } catch (error) {
      if (error instanceof AppError && error.message.startsWith(beside))
        throw new AppError(
          'unsupported',
          `${name}${error.message.slice(error.message.indexOf(': ')).replaceAll(`${beside}/`, '')}`,
          { cause: error },
        );
      throw writeError(error, root);
    }
  });

interface RemoteFile {
  readonly url: string;
  readonly name?: string | undefined;
  readonly bytes?: number | undefined;
  readonly sha256?: string | undefined;
}

const installFiles = async (
  files: readonly RemoteFile[],
  wanted: Wanted,
  deps: InstallDeps,
): Promise<InstallResult> => {
  const { root, note, signal } = deps;
  if (wanted.expected === 'chat') await installPackage(deps.llama, deps);
  const wholeBytes = files.reduce((sum, { bytes = Number.NaN }) => sum + bytes, 0);
  const fetched: (RemoteFile & { readonly downloaded: Downloaded })[] = [];
  let beforeBytes = 0;
  for (const file of files) {
    const onProgress = ({ doneBytes, totalBytes }: DownloadProgress): void =>
      deps.onProgress({
        doneBytes: beforeBytes + doneBytes,
        totalBytes: Number.isNaN(wholeBytes) ? totalBytes : wholeBytes,
      });
    const downloaded = await download(file, { ...deps, onProgress });
    if (file.sha256 === undefined) await demandTrusted(root, file.url, downloaded.sha256);
    fetched.push({ ...file, downloaded });
    beforeBytes += file.bytes ?? 0;
  }
  const unknown = fetched.filter(({ sha256 }) => sha256 === undefined);
  try {
    const installed = await place(wanted, deps, async (folder) => {
      for (const { url, name, downloaded } of fetched) {
        const label = name ?? basename(decodeURIComponent(new URL(url).pathname));
        await unpack(downloaded.path, label, folder, signal);
      }
    });
    for (const { url, downloaded } of unknown) {
      await trustFile(root, url, downloaded.sha256);
      note(
        `No checksum of ${url} was known. From now on it must have SHA-256 ${downloaded.sha256}.`,
      );
    }
    for (const { url } of fetched) await removeDownload(root, url);
    return installed;
  } catch (error) {
    // What cannot be used and has no checksum may be anything: it is not continued.
    for (const { url } of unknown) await removeDownload(root, url);
    throw error;
  }
};

/** Installs a model of the catalogue. Throws `AppError` with an operator's sentence. */
const installFromCatalogue = async (
  model: CatalogueModel,
  deps: InstallDeps,
): Promise<InstallResult> => {
  const { name, files, languages, licence, gender, ability, pinned } = model;
  const source = files.map(({ url }) => url).join(' ');
  const record = { source, languages, licence, ...(gender === undefined ? {} : { gender }) };
  try {
    return await installFiles(files, { name, record, expected: ability }, deps);
  } catch (error) {
    if (!pinned || !(error instanceof AppError && error.code === 'not-found')) throw error;
    deps.note(`${error.message} The version of ${name} that this program knows is taken.`);
    return installFromCatalogue(pinned, deps);
  }
};

const nameOf = (source: string): string => {
  const name = nameWithoutEnding(source);
  if (!MODEL_NAME.test(name))
    throw new AppError('bad-input', `${source}: "${name}" cannot be a model's name; rename it`);
  return name;
};

/** True for a Piper voice as it is published: its settings are in a file beside it. */
const isVoiceFile = (path: string): boolean => path.endsWith('.onnx');

/** Installs a model from the address of an archive, or a Piper voice from that of its `.onnx`. */
const installFromUrl = (url: string, name: string, deps: InstallDeps): Promise<InstallResult> => {
  const settings = new URL(url);
  const isVoice = isVoiceFile(settings.pathname);
  settings.pathname = settingsFile(settings.pathname);
  const files = isVoice ? [{ url }, { url: settings.href }] : [{ url }];
  return installFiles(files, { name, record: { source: url } }, deps);
};

/** Installs a model from a folder or an archive on this machine, or a Piper voice from its `.onnx`. */
const installFromPath = async (
  path: string,
  name: string,
  deps: InstallDeps,
): Promise<InstallResult> => {
  const wanted = { name, record: { source: path } };
  if ((await stat(path)).isDirectory())
    return place(wanted, deps, (folder) => copyFolder(path, folder));
  const files = isVoiceFile(path) ? [path, await settingsBeside(path)] : [path];
  return place(wanted, deps, async (folder) => {
    for (const file of files) await unpack(file, basename(file), folder, deps.signal);
  });
};

/**
 * Installs a model by its name in the catalogue, by the address of an archive, or from a folder or
 * archive on this machine. Throws `AppError` with an operator's sentence; nothing of the model stays
 * then, but what was downloaded, with which the next try goes on.
 */
export const install = async (
  given: string,
  catalogue: readonly CatalogueModel[],
  deps: InstallDeps,
): Promise<InstallResult> => {
  const source = given.replace(/\.onnx\.json$/, '.onnx');
  const known = catalogue.find(({ name }) => name === source);
  const isUrl = /^https?:\/\//i.test(source) && URL.canParse(source);
  if (!known && !isUrl && !existsSync(source))
    throw new AppError(
      'not-found',
      `${source} is no model of the catalogue, no address and no file or folder here. npm run service -- models list shows the models`,
    );
  const path = isUrl ? decodeURIComponent(new URL(source).pathname) : resolve(source);
  const name = known?.name ?? nameOf(path);
  const present = (await listInstalled(deps.root)).find((folder) => isModel(folder, name));
  if (present) return { kind: 'present', name: present.name };
  if (known) return installFromCatalogue(known, deps);
  return isUrl ? installFromUrl(source, name, deps) : installFromPath(path, name, deps);
};

/** Removes an installed model. Throws `AppError` when there is none of that name. */
export const removeModel = async (root: string, name: string): Promise<void> => {
  const folder = (await listInstalled(root)).find((one) => one.name === name);
  if (!folder) throw new AppError('not-found', `${name} is not installed in ${root}`);
  // Gone at once for engines, which do not look at hidden folders.
  await staging(root, (beside) => rename(folder.path, join(beside, 'removed')));
};
