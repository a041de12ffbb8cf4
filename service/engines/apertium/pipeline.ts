import { spawn, type ChildProcess } from 'node:child_process';
import { AppError } from '../../../src/errors.ts';
import type { Stage } from './modes.ts';

/** The programs' whole environment: they do not need the secrets in ours. */
const ENVIRONMENT = {
  PATH: '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin',
  LC_ALL: 'C.UTF-8',
};

/**
 * Most characters of output, in case it never ends; translations are never so much longer than
 * their text.
 */
const MAX_OUTPUT_CHARS = 1_000_000;

export interface Pipeline {
  /** False once one of its programs has died. */
  alive(): boolean;
  /**
   * Sends one text through the pipeline, in the stream format and without NUL; one at a time.
   * Rejects with an `AppError`, also when the signal is aborted, after which the pipeline is dead.
   */
  put(stream: string, timeoutMs: number, signal: AbortSignal): Promise<string>;
  end(): void;
}

/** Starts the programs without a shell, each one's output piped to the next one's input. */
export const startPipeline = (stages: readonly Stage[]): Pipeline => {
  let dead: AppError | undefined;
  let waiting: PromiseWithResolvers<string> | undefined;
  let output = '';

  const processes: ChildProcess[] = [];
  const fail = (error: AppError): void => {
    if (dead) return;
    dead = error;
    for (const process of processes) process.kill('SIGKILL');
    waiting?.reject(error);
  };

  const leave = (): void => fail(new AppError('cancelled', 'The client disconnected.'));

  for (const [program, ...args] of stages) {
    const process = spawn(program, args, {
      env: ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    processes.push(process);
    process.once('error', (cause) =>
      fail(new AppError('unavailable', 'An Apertium program could not be started.', { cause })),
    );
    process.once('exit', () =>
      fail(new AppError('unavailable', 'An Apertium program died.', { retryable: true })),
    );
    // The exit event reports a dead program; writing to it must not throw.
    process.stdin?.on('error', () => {});
  }
  for (const [index, process] of processes.entries()) {
    const next = processes[index + 1]?.stdin;
    if (process.stdout && next) process.stdout.pipe(next);
  }
  const input = processes[0]?.stdin;
  processes
    .at(-1)
    ?.stdout?.setEncoding('utf8')
    .on('data', (text: string) => {
      output += text;
      const end = output.indexOf('\0');
      if (end >= 0) {
        const whole = output.slice(0, end);
        output = output.slice(end + 1);
        waiting?.resolve(whole);
      } else if (output.length > MAX_OUTPUT_CHARS)
        fail(new AppError('bad-reply', 'Apertium sent too much.'));
    });

  return {
    alive: () => dead === undefined,
    put: async (stream, timeoutMs, signal) => {
      if (dead) throw dead;
      waiting = Promise.withResolvers<string>();
      const timer = setTimeout(
        () => fail(new AppError('timeout', 'Apertium took too long.', { retryable: true })),
        timeoutMs,
      );
      signal.addEventListener('abort', leave, { once: true });
      try {
        input?.write(`${stream}\0`);
        return await waiting.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        waiting = undefined;
      }
    },
    end: () => fail(new AppError('cancelled', 'Apertium was ended.')),
  };
};
