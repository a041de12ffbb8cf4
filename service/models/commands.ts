import { AppError } from '../../src/errors.ts';
import { columns } from '../engine-report.ts';
import { toLanguage } from '../language.ts';
import { NoNetworkError } from './download.ts';
import { bytesOf, loadCatalogue, type CatalogueModel, chooseForLanguages } from './catalogue.ts';
import { megabytes } from './disk.ts';
import { install, removeModel, type InstallResult, type InstallDeps } from './install.ts';
import { listInstalled } from './installed.ts';
import { describe, describeModels } from './list.ts';
import { changingModels } from './lock.ts';
import { llamaPackage } from './packages.ts';
import { createProgressBar, type ProgressOutput } from './progress.ts';
import { createInterface } from 'node:readline/promises';
import type { Clock } from '../../src/async/clock.ts';
import type { EngineConfig } from '../config.ts';

/** Dependencies of the commands, most of them of the process that they run in. */
export interface ModelsDeps extends Omit<InstallDeps, 'onProgress' | 'note'> {
  readonly print: (line: string) => void;
  readonly progress: ProgressOutput;
  /** Asks the operator; undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
  /** File of the catalogue. */
  readonly catalogueFile: string | undefined;
}

const USAGE = `npm run setup [LANGUAGE ...] [--yes] [--small]
npm run service -- models list
npm run service -- models add NAME|URL|FOLDER|ARCHIVE ...
npm run service -- models remove NAME ...`;

const usage = (problem: string): AppError => new AppError('bad-input', `${problem}\n${USAGE}`);

/** Installs one after the other. One failure does not keep the others from being installed, but no network does. */
const installAll = async (
  sources: readonly string[],
  catalogue: readonly CatalogueModel[],
  deps: ModelsDeps,
): Promise<void> => {
  const failures: string[] = [];
  for (const source of sources) {
    const progress = createProgressBar(source, deps.progress, deps.clock.nowMs);
    let installed: InstallResult;
    try {
      installed = await install(source, catalogue, {
        ...deps,
        onProgress: progress.show,
        note: deps.print,
      });
    } catch (error) {
      progress.end();
      if (!(error instanceof AppError) || error instanceof NoNetworkError) throw error;
      failures.push(error.message);
      deps.print(`${source}: not installed. ${error.message}`);
      continue;
    }
    progress.end();
    deps.print(
      installed.kind === 'present'
        ? `${installed.name} is installed already.`
        : `${installed.name} is installed: ${installed.ability}.`,
    );
  }
  if (failures.length > 0)
    throw new AppError(
      'unavailable',
      `${failures.length} of ${sources.length} ${sources.length === 1 ? 'model was' : 'models were'} not installed.`,
    );
};

/** Runs `models list`, `models add` and `models remove`. Throws `AppError` for the operator. */
export const runModels = async (
  [action, ...names]: readonly string[],
  deps: ModelsDeps,
): Promise<void> => {
  const catalogue = await loadCatalogue(deps.catalogueFile);
  if (action === 'list') return describeModels(catalogue, deps.root, deps.print);
  if (action !== 'add' && action !== 'remove') throw usage('Say list, add or remove.');
  if (names.length === 0) throw usage(`Say which models to ${action}.`);
  await changingModels(deps.root, async () => {
    if (action === 'add') return installAll(names, catalogue, deps);
    for (const name of names) {
      await removeModel(deps.root, name);
      deps.print(`${name} is removed.`);
    }
  });
};

const readLanguages = (typed: readonly string[]): readonly string[] =>
  typed.map((word) => {
    const code = toLanguage(word);
    if (code === undefined) throw usage(`"${word}" is no language. Write it as in: en es pt-BR`);
    return code;
  });

const splitWords = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean);

const DEFAULT_LANGUAGES = ['en', 'es'];

/**
 * Runs `npm run setup`: asks for languages, shows what would be installed, and installs it. Throws
 * `AppError` for the operator.
 */
export const runSetup = async (words: readonly string[], deps: ModelsDeps): Promise<void> => {
  const { print, ask, root } = deps;
  const unknown = words.find(
    (word) => word.startsWith('--') && !['--yes', '--small'].includes(word),
  );
  if (unknown !== undefined) throw usage(`"${unknown}" is no option.`);
  const yes = words.includes('--yes');
  let typed: readonly string[] = words.filter((word) => !word.startsWith('--')).flatMap(splitWords);
  if (typed.length === 0 && !yes) {
    if (!ask) throw usage('Say the languages and --yes: nobody can be asked here.');
    const answer = await ask(
      `Which languages should be heard, spoken and translated? [${DEFAULT_LANGUAGES.join(', ')}] `,
    );
    typed = splitWords(answer);
  }
  const languages = readLanguages(typed.length > 0 ? typed : DEFAULT_LANGUAGES);
  const catalogue = await loadCatalogue(deps.catalogueFile);
  const choice = chooseForLanguages(catalogue, languages, words.includes('--small'));
  const installed = new Set((await listInstalled(root)).map(({ name }) => name));
  const needed = choice.models.filter(({ name }) => !installed.has(name));

  for (const clause of choice.missing) print(`The catalogue has no ${clause.replace(/^a /, '')}.`);
  if (needed.length === 0) {
    print('Everything for these languages is installed.');
    return;
  }
  print(`To be installed into ${root}:`);
  for (const line of columns(needed.map(describe))) print(line);
  const bytes = needed.reduce((sum, model) => sum + bytesOf(model), 0);
  if (!yes) {
    if (!ask) throw usage('Add --yes: nobody can be asked here.');
    const answer = await ask(`Download ${megabytes(bytes)}? [Y/n] `);
    if (/^\s*n/i.test(answer)) {
      print('Nothing was installed.');
      return;
    }
  }
  const names = needed.map(({ name }) => name);
  await changingModels(root, () => installAll(names, catalogue, deps));
  print('The built-in service uses the models at once: npm start');
};

/** A clock whose timers keep the process alive: between two tries nothing else does. */
const clock: Clock = {
  nowMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

const ask = async (question: string): Promise<string> => {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
};

/**
 * Runs a command about models: `setup …` or `models …`. Returns false for other words.
 *
 * @param stopped settles when the process is asked to end
 * @param print tells the operator a line
 */
export const runModelCommand = async (
  [command, ...words]: readonly string[],
  config: EngineConfig,
  stopped: Promise<void>,
  print: ModelsDeps['print'],
): Promise<boolean> => {
  if (command !== 'setup' && command !== 'models') return false;
  if (words.some((word) => word === '--help' || word === '-h')) {
    print(USAGE);
    return true;
  }
  const controller = new AbortController();
  void stopped.then(() =>
    controller.abort(
      new AppError('cancelled', 'Stopped. The same command goes on where this one ended.'),
    ),
  );
  const deps: ModelsDeps = {
    root: config.SERVICE_MODELS,
    mirror: config.SERVICE_MODELS_MIRROR,
    catalogueFile: config.SERVICE_MODELS_CATALOGUE,
    clock,
    random: Math.random,
    now: () => new Date(),
    llama: llamaPackage(),
    signal: controller.signal,
    print,
    progress: process.stderr,
    ask: process.stdin.isTTY ? ask : undefined,
  };
  await (command === 'setup' ? runSetup(words, deps) : runModels(words, deps));
  return true;
};
