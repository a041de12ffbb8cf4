import { AppError, toAppError } from '../../src/errors.ts';
import { realClock } from '../../src/async/clock.ts';
import { imageAdvice } from '../../src/process/program.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type {
  InstalledModel,
  ModelInstallation,
  LocalModels,
  OfferedModel,
} from '../../src/model/local-models.ts';
import type { EngineConfig } from '../config.ts';
import { bytesOf, type CatalogueModel } from './catalogue.ts';
import { memoryOf } from './choose.ts';
import { followInstalled, type InstalledFolder } from './installed.ts';
import { inspect } from './list.ts';
import { freeBytesOf } from './disk.ts';
import { speakersAt } from './machine.ts';
import { createModelSetup, setupDepsOf, type SetupDeps, type SetupEvent } from './setup.ts';

const offered = (model: CatalogueModel): OfferedModel => ({
  name: model.name,
  title: model.title,
  ability: model.ability,
  languages: model.languages,
  licence: model.licence,
  downloadBytes: bytesOf(model),
  memoryBytes: memoryOf(model),
});

type Advise = (advice: string) => string;

const installed = async (folder: InstalledFolder, advise: Advise): Promise<InstalledModel> => {
  const { name, record, bytes, ...found } = await inspect(folder);
  const common = { name, bytes, licence: record?.licence ?? '' };
  if ('fault' in found)
    return { ...common, ability: undefined, languages: [], fault: advise(found.fault) };
  const { ability } = found.layout;
  const factor = ability === 'recognition' && record?.measured?.realTimeFactor;
  const speakers = factor ? { speakers: speakersAt(factor) } : {};
  return { ...common, ability, languages: found.languages, ...speakers };
};

const after = (before: ModelInstallation, event: SetupEvent, advise: Advise): ModelInstallation => {
  switch (event.kind) {
    case 'began':
      return { ...before, current: event.name, doneBytes: 0, totalBytes: undefined };
    case 'progress':
      return { ...before, doneBytes: event.doneBytes, totalBytes: event.totalBytes };
    case 'ended':
      return { ...before, current: undefined, ended: [...before.ended, event.name] };
    case 'failed': {
      const failure = { name: event.name, reason: advise(event.error.message) };
      return { ...before, current: undefined, failures: [...before.failures, failure] };
    }
    case 'note':
      return { ...before, notes: [...before.notes, advise(event.text)] };
  }
};

/**
 * The installer for a page: it works in the background, one installation at a time.
 *
 * @param advise writes what an operator is told in the commands of where the program runs
 */
export const createModels = (
  deps: SetupDeps,
  log: Log,
  advise: Advise = (advice) => advice,
): LocalModels & AsyncDisposable => {
  const setup = createModelSetup(deps);
  const current = followInstalled(deps.root, (folders) =>
    Promise.all(folders.map((folder) => installed(folder, advise))),
  );
  let installation: ModelInstallation | undefined;
  let stop = new AbortController();
  let running: Promise<void> | undefined;

  const change = (next: (before: ModelInstallation) => ModelInstallation): void => {
    installation = installation && next(installation);
  };

  const run = async (
    begun: Pick<ModelInstallation, 'names' | 'size' | 'notes'>,
    models: readonly CatalogueModel[],
    signal: AbortSignal,
  ): Promise<void> => {
    installation = { ...begun, state: 'running', doneBytes: 0, ended: [], failures: [] };
    let end: Pick<ModelInstallation, 'state' | 'reason'> = { state: 'done' };
    try {
      const show = (event: SetupEvent): void => change((before) => after(before, event, advise));
      const failures = await setup.install(begun.names, models, show, signal);
      if (failures > 0) end = { state: 'failed' };
    } catch (error) {
      end = signal.aborted
        ? { state: 'stopped' }
        : { state: 'failed', reason: advise(toAppError(error).message) };
      if (!signal.aborted) log.warn({ err: error }, 'models were not installed');
    }
    change((before) => ({ ...before, ...end, current: undefined }));
  };

  return {
    view: async () => {
      // Taken first: whoever is told of the end looks no further, so that the list has to be one of after it.
      const shown = installation;
      const [freeBytes, models] = await Promise.all([freeBytesOf(deps.root), current()]);
      return { freeBytes, installed: models, installation: shown };
    },
    plan: async (languages, size, signal) => {
      const plan = await setup.plan(languages, size, signal);
      return { ...plan, models: plan.models.map(offered), notes: plan.notes.map(advise) };
    },
    install: async (names, size) => {
      if (running) throw new AppError('bad-input', 'models are being installed already');
      stop = new AbortController();
      const { signal } = stop;
      const notes: string[] = [];
      const note = (text: string): void => void notes.push(advise(text));
      const found = setup.catalogueFor(names, signal, note, size).then((models) => {
        // Anything but a name would be an address or a path.
        if (names.every((name) => models.some((model) => model.name === name))) return models;
        throw new AppError('bad-input', 'no such model');
      });
      running = found
        .then(
          (models) => run({ names, size, notes }, models, signal),
          () => undefined,
        )
        .finally(() => (running = undefined));
      await found;
    },
    stop: () => stop.abort(new AppError('cancelled', 'the operator stopped it')),
    remove: (name) => setup.remove(name),
    [Symbol.asyncDispose]: async () => {
      stop.abort(new AppError('cancelled', 'the program stops'));
      await running;
    },
  };
};

/** The installer of a configuration. */
export const createConfiguredModels = (config: EngineConfig, log: Log) =>
  createModels(
    setupDepsOf(config, realClock),
    log,
    config.DRAGOMAN_IMAGE ? imageAdvice : undefined,
  );
