import { AppError } from '../../src/errors.ts';
import { bytesOf, loadCatalogue, type CatalogueModel } from './catalogue.ts';
import type { ModelPlan, ModelSize } from '../../src/model/local-models.ts';
import { chooseForLanguages } from './choose.ts';
import { diskFull, freeBytesOf } from './disk.ts';
import { fetchedBytes, NoNetworkError, type DownloadProgress } from './download.ts';
import { fetchFirefoxModels, withModels } from './firefox-registry.ts';
import { install, removeModel, type InstallDeps, type InstallResult } from './install.ts';
import { isModel, listInstalled } from './installed.ts';
import { changingModels } from './changes.ts';
import { thisMachine } from './machine.ts';
import { installedPackage, llamaPackage } from './packages.ts';
import type { Clock } from '../../src/async/clock.ts';
import type { EngineConfig } from '../config.ts';

export interface SetupDeps extends Omit<InstallDeps, 'onProgress' | 'note' | 'signal'> {
  /** File of the catalogue; undefined for the project's own, with Firefox's current models. */
  readonly catalogueFile: string | undefined;
}

/** Dependencies as the configuration has them. */
export const setupDepsOf = (config: EngineConfig, clock: Clock): SetupDeps => ({
  root: config.SERVICE_MODELS,
  mirror: config.SERVICE_MODELS_MIRROR,
  catalogueFile: config.SERVICE_MODELS_CATALOGUE,
  clock,
  random: Math.random,
  now: () => new Date(),
  llama: llamaPackage(),
});

/** The models that would be installed for languages: those that are not there yet, the ones to hear with first. */
export interface SetupPlan extends Omit<ModelPlan, 'models'> {
  readonly models: readonly CatalogueModel[];
}

/** Progress of an installation; each model begins, and ends or fails, or all end with an error. */
export type SetupEvent =
  | { readonly kind: 'began'; readonly name: string }
  | ({ readonly kind: 'progress'; readonly name: string } & DownloadProgress)
  | { readonly kind: 'ended'; readonly name: string; readonly result: InstallResult }
  | { readonly kind: 'failed'; readonly name: string; readonly error: AppError }
  | { readonly kind: 'note'; readonly text: string };

const sum = (sizes: readonly number[]): number => sizes.reduce((all, size) => all + size, 0);

export type ModelSetup = ReturnType<typeof createModelSetup>;

/** Creates what chooses, installs and removes models, for the command line and for pages. */
export const createModelSetup = (deps: SetupDeps) => {
  const { root, mirror, catalogueFile, llama } = deps;

  /** The models that can be installed by name, as they are now. A registry that cannot be read is told in a note. */
  const catalogue = async (
    signal: AbortSignal,
    note: (text: string) => void,
    size: ModelSize = 'fitting',
  ): Promise<readonly CatalogueModel[]> => {
    const listed = await loadCatalogue(catalogueFile);
    if (catalogueFile !== undefined) return listed;
    try {
      return withModels(listed, await fetchFirefoxModels({ signal, mirror }, size === 'small'));
    } catch {
      signal.throwIfAborted();
      note(
        'Firefox’s registry of models cannot be read; the models that this program knows are used.',
      );
      return listed;
    }
  };

  const missing = async (models: readonly CatalogueModel[]): Promise<readonly CatalogueModel[]> => {
    const folders = await listInstalled(root);
    return models.filter(({ name }) => !folders.some((folder) => isModel(folder, name)));
  };

  /** The size of what is to be fetched for models, and the room that the disk lacks for it. */
  const needsOf = async (
    models: readonly CatalogueModel[],
    freeBytes: number,
  ): Promise<Pick<ModelPlan, 'downloadBytes' | 'lackingBytes'>> => {
    const needsLibrary =
      models.some(({ ability }) => ability === 'chat') &&
      (await installedPackage(root, llama)) === undefined;
    const sizes = models.map(bytesOf);
    const downloadBytes = sum(sizes) + (needsLibrary ? llama.bytes : 0);
    const urls = models.flatMap(({ files }) => files.map(({ url }) => url));
    const fetched = await Promise.all(urls.map((url) => fetchedBytes(root, url)));
    // A download stays until its model, which is larger, is unpacked from it.
    const leastBytes = downloadBytes + Math.max(0, ...sizes) - sum(fetched);
    return { downloadBytes, lackingBytes: Math.max(0, leastBytes - freeBytes) };
  };

  return {
    catalogue,
    /** The models among which `names` are found: the registry is asked only where one is of those that it has. */
    catalogueFor: (
      names: readonly string[],
      ...options: Parameters<typeof catalogue>
    ): Promise<readonly CatalogueModel[]> =>
      names.some((name) => name.startsWith('bergamot-'))
        ? catalogue(...options)
        : loadCatalogue(catalogueFile),

    /** Chooses for languages (BCP 47) what this machine can carry. */
    plan: async (
      languages: readonly string[],
      size: ModelSize,
      signal: AbortSignal,
    ): Promise<SetupPlan> => {
      const notes: string[] = [];
      const [machine, known] = await Promise.all([
        thisMachine(root),
        catalogue(signal, (text) => notes.push(text), size),
      ]);
      const usable = known.filter(
        ({ ability }) => ability !== 'chat' || llama.binary !== undefined,
      );
      const choice = chooseForLanguages(usable, languages, size, machine);
      const models = await missing(choice.models);
      return {
        machine,
        models,
        ...(await needsOf(models, machine.freeBytes)),
        gaps: choice.gaps,
        notes,
      };
    },

    /**
     * Installs models one after the other, by their name in `models`, by address or path; the same call goes
     * on where one that was ended has stopped. One failure does not keep the others from being installed, but
     * no network and a full disk do; a disk without room for all of them, before anything is fetched. Throws
     * `AppError` for these, and while others are changed. Resolves with the number of failures.
     */
    install: (
      sources: readonly string[],
      models: readonly CatalogueModel[],
      onEvent: (event: SetupEvent) => void,
      signal: AbortSignal,
    ): Promise<number> => {
      const note = (text: string): void => onEvent({ kind: 'note', text });
      return changingModels(root, async () => {
        const needed = await missing(models.filter(({ name }) => sources.includes(name)));
        const { lackingBytes } = await needsOf(needed, await freeBytesOf(root));
        if (lackingBytes > 0) throw diskFull(root, lackingBytes);
        let failures = 0;
        for (const name of sources) {
          onEvent({ kind: 'began', name });
          try {
            const onProgress = (progress: DownloadProgress): void =>
              onEvent({ kind: 'progress', name, ...progress });
            const result = await install(name, models, { ...deps, signal, onProgress, note });
            onEvent({ kind: 'ended', name, result });
          } catch (error) {
            if (!(error instanceof AppError)) throw error;
            const stopsAll = error instanceof NoNetworkError || error.code === 'too-large';
            if (stopsAll || error.code === 'cancelled') throw error;
            onEvent({ kind: 'failed', name, error });
            failures += 1;
          }
        }
        return failures;
      });
    },

    /** Removes an installed model. Throws `AppError` when there is none of that name. */
    remove: (name: string): Promise<void> => changingModels(root, () => removeModel(root, name)),
  };
};
