import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { BARE_ENVIRONMENT, wordsOf } from './program.ts';

const ROOT = join(import.meta.dirname, '../..');

/** A server in a process of its own that can be killed, and is then started again at the same address. */
export interface ServerProgram extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** Kills it without warning; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it after `kill`; resolves when it listens. */
  start(): Promise<void>;
}

export interface ServerProgramOptions {
  /** From the root of the project. */
  readonly file: string;
  /** The variable with its port. */
  readonly port: string;
  readonly environment?: Readonly<Record<string, string>>;
  /** Options of Node.js. */
  readonly flags?: readonly string[];
}

/** Starts a program that prints its address once it listens. */
export const startServerProgram = async ({
  file,
  port,
  environment = {},
  flags = [],
}: ServerProgramOptions): Promise<ServerProgram> => {
  let child: ChildProcess;
  const begin = async (at: string): Promise<string> => {
    const begun = spawn(process.execPath, [...flags, ...wordsOf(file)], {
      cwd: ROOT,
      env: { ...BARE_ENVIRONMENT, LOG_LEVEL: 'silent', ...environment, [port]: at },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    child = begun;
    for await (const line of createInterface(begun.stdout)) {
      const address = /http:\/\/[\w.]+:\d+/.exec(line)?.[0];
      if (address === undefined) continue;
      begun.stdout.resume();
      return address;
    }
    throw new Error(`${file} did not start`);
  };
  const url = await begin('0');
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  };
  return {
    url,
    get pid() {
      return child.pid!;
    },
    kill,
    start: async () => void (await begin(new URL(url).port)),
    [Symbol.asyncDispose]: kill,
  };
};
