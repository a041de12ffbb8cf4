import { spawn, type ChildProcess, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import manifest from '../../package.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '../..');
const IS_TEST = process.env['VITEST'] !== undefined;
/** Options of Node.js with which tests start programs: what these leave is collected less often, as in the tests themselves. */
const FLAGS_OF_TESTS = [
  '--min-semi-space-size=16',
  '--max-semi-space-size=16',
  `--import=${pathToFileURL(join(import.meta.dirname, 'keep-compiled.mjs')).href}`,
];

/** Options of Node.js in `npm start`, and for tests their own; benches measure what people start. */
const FLAGS = [
  ...manifest.scripts.start.split(' ').filter((word) => word.startsWith('--')),
  ...(IS_TEST ? FLAGS_OF_TESTS : []),
];

/** What started programs have of the environment of the tests, and no settings of who runs them. */
export const BARE_ENVIRONMENT = {
  PATH: process.env['PATH'],
  TMPDIR: process.env['TMPDIR'],
  // Of their own: what tests load has other text, by which each would take the place of the other.
  ...(IS_TEST && { NODE_COMPILE_CACHE: join(ROOT, 'node_modules/.cache/compiled-programs') }),
  // Packets of the tests hold no speech.
  SPEECH_DETECTOR: 'off',
};

/** What Node.js is given for a program of the project, as `npm start` does; tests keep what it compiles. */
export const wordsOf = (file: string, ...words: readonly string[]): string[] => [
  ...FLAGS,
  join(ROOT, 'scripts/run.mjs'),
  join(ROOT, file),
  ...words,
];

/** The very command of `npm start`, or of another script, in an empty folder and a bare environment. */
export const spawnDragoman = (
  environment: Record<string, string>,
  envFile = '',
  ...words: readonly string[]
): ChildProcessByStdio<null, Readable, Readable> => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-'));
  writeFileSync(join(folder, '.env'), envFile);
  const program = spawn(process.execPath, wordsOf('main.ts', ...words), {
    cwd: folder,
    env: { ...BARE_ENVIRONMENT, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  program.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return program;
};

/** Ends a program that may have ended already; resolves once it is gone. */
export const endProgram = async (
  program: ChildProcess,
  signal: 'SIGKILL' | 'SIGTERM' = 'SIGKILL',
): Promise<void> => {
  if (program.exitCode !== null || program.signalCode !== null) return;
  const ended = once(program, 'exit');
  program.kill(signal);
  await ended;
};

/** Listens to what a program says of its health; resolves with the address of its pages, and all that it has said. */
export const listenToProgram = async (
  program: ChildProcessByStdio<null, Readable, Readable>,
): Promise<{ readonly address: string; readonly said: () => string }> => {
  let said = '';
  const address = Promise.withResolvers<string>();
  program.once('exit', () => address.reject(new Error(`the program ended: ${said}`)));
  for (const stream of [program.stdout, program.stderr])
    stream.on('data', (some: Buffer) => {
      said += String(some);
      const [, found] = /health and metrics: (\S+)/.exec(said) ?? [];
      if (found !== undefined) address.resolve(found);
    });
  return { address: await address.promise, said: () => said };
};
