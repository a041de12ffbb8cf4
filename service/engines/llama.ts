import { availableParallelism } from 'node:os';
import type { Ability } from '../config.ts';
import type { CreateEngine, EngineAbilities } from '../engine.ts';
import { followInstalled, inspectFolders, type InstalledFolder } from '../models/installed.ts';
import { installedPackage, llamaPackage } from '../models/packages.ts';
import { libraryAdvice } from './llama/library.ts';
import { createProcesses, freeMemory } from './llama/processes.ts';

const NAME = 'llama';
const SERVES = ['chat', 'translation'] as const;
/** Cores up to which one conversation at a time is all that the machine carries. */
const FEW_CORES = 4;

/** Creates the engine for language models in processes of ours, by llama.cpp. */
export const createEngine: CreateEngine = ({ config, log }) => {
  const sequences = availableParallelism() > FEW_CORES ? 2 : 1;
  const processes = createProcesses({
    worker: new URL('./llama/worker.ts', import.meta.url),
    log,
    sequences,
    contextTokens: config.SERVICE_LLAMA_CONTEXT,
    freeBytes: freeMemory,
  });

  const inspect = async (folders: readonly InstalledFolder[]) => {
    if (folders.length === 0) return { installed: [], isMissing: false, faults: [] };
    const { findChatModel } = await import('./llama/model.ts');
    const { found: installed, faults } = await inspectFolders(folders, async ({ path, record }) => {
      const model = await findChatModel(path);
      return model && { model, languages: record?.languages };
    });
    const library = await installedPackage(config.SERVICE_MODELS, llamaPackage());
    const isMissing = library === undefined && installed.length > 0;
    const runnable = library === undefined ? [] : installed;
    processes.keep(
      runnable.map(({ model }) => model),
      library ?? '',
    );
    return { installed: runnable, isMissing, faults };
  };
  const current = followInstalled(config.SERVICE_MODELS, inspect);

  /** The models that can be used now, and what keeps the others from it. */
  const usable = async () => {
    const { installed, faults, isMissing } = await current();
    const told = installed.map(({ model }) => processes.faultOf(model));
    return {
      installed: installed.filter((_, index) => told[index] === undefined),
      isMissing,
      faults: [
        ...faults,
        ...told.flatMap((fault, index) =>
          fault === undefined ? [] : [`${installed[index]?.model.name}: ${fault}`],
        ),
      ],
    };
  };

  const abilities = async (): Promise<EngineAbilities> => {
    const { installed } = await usable();
    if (installed.length === 0) return {};
    return (await import('./llama/abilities.ts')).createAbilities(installed, processes);
  };

  return {
    name: NAME,
    serves: SERVES,
    rank: 2,
    concurrent: sequences,
    sharesTurns: true,
    abilities,
    report: async () => {
      const { installed, faults, isMissing } = await usable();
      const serves = Object.keys(await abilities()) as Ability[];
      const offer = [...installed.map(({ model }) => model.name), ...faults].join('; ');
      return {
        name: NAME,
        serves: serves.length > 0 ? serves : SERVES,
        ready: serves.length > 0,
        detail: isMissing ? libraryAdvice(llamaPackage().binary) : offer || 'npm run setup',
      };
    },
    remedy: ({ ability }) =>
      ability === 'chat' || ability === 'translation' ? 'run npm run setup' : undefined,
    [Symbol.asyncDispose]: () => processes[Symbol.asyncDispose](),
  };
};
