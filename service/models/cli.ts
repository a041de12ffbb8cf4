import { createInterface } from 'node:readline/promises';
import type { Clock } from '../../src/async/clock.ts';
import { AppError } from '../../src/errors.ts';
import type { EngineConfig } from '../config.ts';
import { runModels, runSetup, type ModelsDeps } from './commands.ts';

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
    signal: controller.signal,
    print,
    progress: process.stderr,
    ask: process.stdin.isTTY ? ask : undefined,
  };
  await (command === 'setup' ? runSetup(words, deps) : runModels(words, deps));
  return true;
};
