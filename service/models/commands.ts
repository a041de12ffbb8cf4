import { AppError } from '../../src/errors.ts';
import { columns } from '../engine-report.ts';
import { toLanguage } from '../language.ts';
import type { ModelGap, ModelSize } from '../../src/model/local-models.ts';
import type { CatalogueModel } from './catalogue.ts';
import { memoryOf } from './choose.ts';
import { diskFull, megabytes } from './disk.ts';
import { describe, describeModels } from './list.ts';
import { recogniserThreads, speakersText } from './machine.ts';
import { createProgressBar, type ProgressOutput } from './progress.ts';
import {
  createModelSetup,
  setupDepsOf,
  type ModelSetup,
  type SetupDeps,
  type SetupEvent,
} from './setup.ts';
import { createInterface } from 'node:readline/promises';
import { realClock, type Clock } from '../../src/async/clock.ts';
import type { EngineConfig } from '../config.ts';

/** Dependencies of the commands, most of them of the process that they run in. */
export interface ModelsDeps extends SetupDeps {
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
  readonly progress: ProgressOutput;
  /** Asks the operator; undefined where nobody can answer. */
  readonly ask: ((question: string) => Promise<string>) | undefined;
}

const GAPS = {
  recognition: 'recognition of',
  speech: 'voice for',
  'translation-from': 'translation from',
  'translation-into': 'translation into',
} as const satisfies Record<ModelGap['need'], string>;

const gapText = ({ need, language }: ModelGap): string => `${GAPS[need]} ${language}`;

const USAGE = `npm run setup [LANGUAGE ...] [--yes] [--small | --best]
npm run service -- models list
npm run service -- models add NAME|URL|FOLDER|ARCHIVE|FILE.gguf ...
npm run service -- models remove NAME ...`;

const usage = (problem: string): AppError => new AppError('bad-input', `${problem}\n${USAGE}`);

const eventText = (event: Exclude<SetupEvent, { readonly kind: 'began' | 'progress' }>): string => {
  if (event.kind === 'note') return event.text;
  if (event.kind === 'failed') return `${event.name}: not installed. ${event.error.message}`;
  const { result } = event;
  return result.kind === 'present'
    ? `${result.name} is installed already.`
    : `${result.name} is installed: ${[result.ability, ...result.measures].join(', ')}.`;
};

/** Installs models and shows how far each is. Throws `AppError` where one was not installed. */
const installAll = async (
  sources: readonly string[],
  models: readonly CatalogueModel[],
  setup: ModelSetup,
  { print, progress, clock, signal }: ModelsDeps,
): Promise<void> => {
  let bar: ReturnType<typeof createProgressBar> | undefined;
  const show = (event: SetupEvent): void => {
    if (event.kind === 'progress') {
      bar?.show(event);
      return;
    }
    if (event.kind !== 'note') bar?.end();
    if (event.kind === 'began') bar = createProgressBar(event.name, progress, clock.nowMs);
    else print(eventText(event));
  };
  const failures = await setup.install(sources, models, show, signal).finally(() => bar?.end());
  if (failures > 0)
    throw new AppError(
      'unavailable',
      `${failures} of ${sources.length} ${sources.length === 1 ? 'model was' : 'models were'} not installed.`,
    );
};

/** Runs `models list`, `models add` and `models remove`. Throws `AppError` for the operator. */
export const runModels = async (
  [action, ...names]: readonly string[],
  deps: ModelsDeps,
): Promise<void> => {
  const { root, print, signal } = deps;
  const setup = createModelSetup(deps);
  if (action === 'list') return describeModels(await setup.catalogue(signal, print), root, print);
  if (action !== 'add' && action !== 'remove') throw usage('Say list, add or remove.');
  if (names.length === 0) throw usage(`Say which models to ${action}.`);
  if (action === 'add')
    return installAll(names, await setup.catalogueFor(names, signal, print), setup, deps);
  for (const name of names) {
    await setup.remove(name);
    print(`${name} is removed.`);
  }
};

const readLanguages = (typed: readonly string[]): readonly string[] =>
  typed.map((word) => {
    const code = toLanguage(word);
    if (code === undefined) throw usage(`"${word}" is no language. Write it as in: en es pt-BR`);
    return code;
  });

const splitWords = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean);

const DEFAULT_LANGUAGES = ['en', 'es'];

const SIZES: Readonly<Record<string, ModelSize>> = { '--small': 'small', '--best': 'best' };

/**
 * Runs `npm run setup`: asks for languages, shows what would be installed, and installs it. Throws
 * `AppError` for the operator.
 */
export const runSetup = async (words: readonly string[], deps: ModelsDeps): Promise<void> => {
  const { print, ask, root, signal } = deps;
  const options = words.filter((word) => word.startsWith('--'));
  const unknown = options.find((word) => word !== '--yes' && SIZES[word] === undefined);
  if (unknown !== undefined) throw usage(`"${unknown}" is no option.`);
  const sizes = options.map((word) => SIZES[word]).filter((size) => size !== undefined);
  if (sizes.length > 1) throw usage('Say --small or --best, not both.');
  const yes = options.includes('--yes');
  let typed: readonly string[] = words.filter((word) => !word.startsWith('--')).flatMap(splitWords);
  if (typed.length === 0 && !yes) {
    if (!ask) throw usage('Say the languages and --yes: nobody can be asked here.');
    const answer = await ask(
      `Which languages should be heard, spoken and translated? [${DEFAULT_LANGUAGES.join(', ')}] `,
    );
    typed = splitWords(answer);
  }
  const languages = readLanguages(typed.length > 0 ? typed : DEFAULT_LANGUAGES);
  const setup = createModelSetup(deps);
  const plan = await setup.plan(languages, sizes[0] ?? 'fitting', signal);
  const { machine, models, downloadBytes, lackingBytes } = plan;

  plan.notes.forEach(print);
  for (const gap of plan.gaps) print(`The catalogue has no ${gapText(gap)}.`);
  if (models.length === 0) {
    print('Everything for these languages is installed.');
    return;
  }
  print(
    `This machine has ${machine.cores} ${machine.cores === 1 ? 'core' : 'cores'}, ${megabytes(machine.memoryBytes)} of memory and ${megabytes(machine.freeBytes)} of room.`,
  );
  print(
    `To be installed into ${root}, with the memory that each takes and the speakers that it follows, about:`,
  );
  const rows = models.map((model) => {
    const [name = '', ability = '', size = '', ...others] = describe(model);
    const follows =
      model.realTimeFactor === undefined
        ? ''
        : speakersText(
            model.realTimeFactor / recogniserThreads(model.isStreaming === true, machine.cores),
          );
    return [name, ability, size, megabytes(memoryOf(model)), ...others, follows];
  });
  for (const line of columns(rows)) print(line);
  const heavy = models.filter((model) => memoryOf(model) > machine.memoryBytes);
  if (heavy.length > 0)
    print(`More memory than this machine has: ${heavy.map(({ name }) => name).join(', ')}.`);
  if (lackingBytes > 0) throw diskFull(root, lackingBytes);
  if (!yes) {
    if (!ask) throw usage('Add --yes: nobody can be asked here.');
    const answer = await ask(`Download ${megabytes(downloadBytes)}? [Y/n] `);
    if (/^\s*n/i.test(answer)) {
      print('Nothing was installed.');
      return;
    }
  }
  await installAll(
    models.map(({ name }) => name),
    models,
    setup,
    deps,
  );
  print('The built-in service uses the models at once: npm start');
};

/** A clock whose timers keep the process alive: between two tries nothing else does. */
const clock: Clock = {
  ...realClock,
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

const ask = async (question: string): Promise<string> => {
  using terminal = createInterface({ input: process.stdin, output: process.stdout });
  return await terminal.question(question);
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
    ...setupDepsOf(config, clock),
    signal: controller.signal,
    print,
    progress: process.stderr,
    ask: process.stdin.isTTY ? ask : undefined,
  };
  await (command === 'setup' ? runSetup(words, deps) : runModels(words, deps));
  return true;
};
