import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const ROOT = join(import.meta.dirname, '../../..');

/** A server in a process of its own that can be killed, and is then started again at the same address. */
export interface KilledProgram extends AsyncDisposable {
  readonly url: string;
  /** Kills it without warning; resolves when it is gone. */
  kill(): Promise<void>;
  /** Starts it after `kill`; resolves when it listens. */
  start(): Promise<void>;
}

/**
 * Starts a program that prints its address once it listens.
 *
 * @param file from the root of the project
 * @param port the variable with its port
 */
export const startKilledProgram = async (
  file: string,
  port: string,
  environment: Readonly<Record<string, string>> = {},
): Promise<KilledProgram> => {
  let child: ChildProcess;
  const begin = async (at: string): Promise<string> => {
    const begun = spawn(process.execPath, [join(ROOT, file)], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], LOG_LEVEL: 'silent', ...environment, [port]: at },
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
    kill,
    start: async () => void (await begin(new URL(url).port)),
    [Symbol.asyncDispose]: kill,
  };
};
