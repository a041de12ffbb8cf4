import { AppError, toAppError } from '../../../src/errors.ts';
import type { WordRun } from '../../translation/markup.ts';
import type { Mode } from './modes.ts';
import { endChild } from '../../../src/process/end-child.ts';
import { END_OF_TEXT, fromStream, toStream } from './stream.ts';
import { spawn, type ChildProcess } from 'node:child_process';

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

interface PoolOptions {
  /** Most pipelines; each has about 11 processes and 60 MB. */
  readonly maxPipelines: number;
  readonly callTimeoutMs: number;
  /** Idle time after which a pipeline is stopped. */
  readonly idleMs: number;
}

type Pipeline = ReturnType<typeof startPipeline>;

/**
 * Starts the programs without a shell, each one's output piped to the next one's input.
 *
 * @param ended called once when one of them has died, or all were ended
 */
const startPipeline = (mode: Mode, { callTimeoutMs, idleMs }: PoolOptions, ended: () => void) => {
  let isDead = false;
  let waiting: PromiseWithResolvers<string> | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  let output = '';

  const processes: ChildProcess[] = [];
  const fail = (error: AppError): void => {
    if (isDead) return;
    isDead = true;
    clearTimeout(idleTimer);
    processes.forEach(endChild);
    waiting?.reject(error);
    ended();
  };

  const end = (): void => fail(new AppError('cancelled', 'Apertium was ended.'));

  for (const [program, ...args] of mode.stages) {
    const process: ChildProcess = spawn(program, args, {
      env: ENVIRONMENT,
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    process.once('error', (cause) =>
      fail(new AppError('unavailable', 'An Apertium program could not be started.', { cause })),
    );
    process.once('exit', () =>
      fail(new AppError('unavailable', 'An Apertium program died.', { retryable: true })),
    );
    // There is none where the system has no file left.
    const { stdin } = process;
    // The exit event reports a dead program; writing to it must not throw.
    stdin?.on('error', () => {});
    if (stdin) processes.at(-1)?.stdout?.pipe(stdin);
    processes.push(process);
  }
  processes
    .at(-1)
    ?.stdout?.setEncoding('utf8')
    .on('data', (text: string) => {
      output += text;
      const at = output.indexOf('\0');
      if (at >= 0) {
        waiting?.resolve(output.slice(0, at));
        output = output.slice(at + 1);
      } else if (output.length > MAX_OUTPUT_CHARS)
        fail(new AppError('bad-reply', 'Apertium sent too much.'));
    });

  return {
    mode,
    get isBusy(): boolean {
      return waiting !== undefined;
    },
    /**
     * Sends one text through the pipeline, in the stream format and without NUL; one at a time.
     * Rejects with an `AppError`, also when the signal is aborted, after which the pipeline is dead.
     */
    put: async (stream: string, signal: AbortSignal): Promise<string> => {
      clearTimeout(idleTimer);
      waiting = Promise.withResolvers<string>();
      const timer = setTimeout(
        () => fail(new AppError('timeout', 'Apertium took too long.', { retryable: true })),
        callTimeoutMs,
      );
      signal.addEventListener('abort', end, { once: true });
      try {
        processes[0]?.stdin?.write(`${stream}\0`);
        return await waiting.promise;
      } finally {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        waiting = undefined;
        if (!isDead) idleTimer = setTimeout(end, idleMs).unref();
      }
    },
    end,
  };
};

/** Creates a pool of running pipelines: a call takes about 2 ms, against 110 ms with a new pipeline. */
export const createPool = (options: PoolOptions) => {
  /** Running pipelines, the least recently used first. */
  const live = new Set<Pipeline>();
  let isEnded = false;

  const take = (mode: Mode): { readonly pipeline: Pipeline; readonly isFresh: boolean } => {
    if (isEnded) throw new AppError('unavailable', 'Apertium is shut down.');
    const idle = [...live].filter(({ isBusy }) => !isBusy);
    const found = idle.findLast((one) => one.mode === mode);
    if (!found && live.size >= options.maxPipelines) idle[0]?.end();
    const pipeline: Pipeline =
      found ?? startPipeline(mode, options, () => void live.delete(pipeline));
    live.delete(pipeline);
    live.add(pipeline);
    return { pipeline, isFresh: !found };
  };

  const attempt = async (mode: Mode, stream: string, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    const { pipeline, isFresh } = take(mode);
    try {
      return await pipeline.put(stream, signal);
    } catch (error) {
      if (isFresh || toAppError(error).code !== 'unavailable') throw error;
      return attempt(mode, stream, signal);
    }
  };

  return {
    /**
     * Translates runs with a pipeline of this mode; replaces a pipeline that died once. An abort
     * ends the pipeline that works on them.
     */
    translate: async (
      mode: Mode,
      runs: readonly WordRun[],
      signal: AbortSignal,
    ): Promise<readonly WordRun[]> =>
      fromStream(await attempt(mode, `${toStream(runs)}${END_OF_TEXT}`, signal)),
    end: (): void => {
      isEnded = true;
      for (const pipeline of live) pipeline.end();
    },
  };
};
