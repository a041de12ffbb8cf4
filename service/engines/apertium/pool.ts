import { AppError } from '../../../src/errors.ts';
import type { WordRun } from '../../translation/markup.ts';
import type { Mode, Stage } from './modes.ts';
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

type Pipeline = ReturnType<typeof startPipeline>;

/** Starts the programs without a shell, each one's output piped to the next one's input. */
const startPipeline = (stages: readonly Stage[]) => {
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
    /** False once one of its programs has died. */
    alive: (): boolean => dead === undefined,
    /**
     * Sends one text through the pipeline, in the stream format and without NUL; one at a time.
     * Rejects with an `AppError`, also when the signal is aborted, after which the pipeline is dead.
     */
    put: async (stream: string, timeoutMs: number, signal: AbortSignal): Promise<string> => {
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
    end: (): void => fail(new AppError('cancelled', 'Apertium was ended.')),
  };
};

interface PoolOptions {
  /** Most pipelines; each has about 11 processes and 60 MB. */
  readonly maxPipelines: number;
  readonly callTimeoutMs: number;
  /** Idle time after which a pipeline is stopped. */
  readonly idleMs: number;
}

/**
 * Creates a pool of running pipelines: a call takes about 2 ms, against 110 ms with a new pipeline.
 */
export const createPool = (options: PoolOptions) => {
  /** Idle pipelines, the least recently used first. */
  let idle: { readonly mode: Mode; readonly pipeline: Pipeline; readonly timer: NodeJS.Timeout }[] =
    [];
  const live = new Set<Pipeline>();
  let ended = false;

  const discard = (pipeline: Pipeline): void => {
    pipeline.end();
    live.delete(pipeline);
    for (const entry of idle) if (entry.pipeline === pipeline) clearTimeout(entry.timer);
    idle = idle.filter((entry) => entry.pipeline !== pipeline);
  };

  const take = (mode: Mode): { readonly pipeline: Pipeline; readonly fresh: boolean } => {
    if (ended) throw new AppError('unavailable', 'Apertium is shut down.');
    const entry = idle.findLast((one) => one.mode === mode);
    if (entry) {
      clearTimeout(entry.timer);
      idle = idle.filter((one) => one !== entry);
      if (entry.pipeline.alive()) return { pipeline: entry.pipeline, fresh: false };
      discard(entry.pipeline);
    }
    const oldest = idle[0];
    if (live.size >= options.maxPipelines && oldest) discard(oldest.pipeline);
    const pipeline = startPipeline(mode.stages);
    live.add(pipeline);
    return { pipeline, fresh: true };
  };

  const giveBack = (mode: Mode, pipeline: Pipeline): void => {
    if (ended || !pipeline.alive()) {
      discard(pipeline);
      return;
    }
    const timer = setTimeout(() => discard(pipeline), options.idleMs);
    timer.unref();
    idle.push({ mode, pipeline, timer });
  };

  const attempt = async (mode: Mode, stream: string, signal: AbortSignal): Promise<string> => {
    signal.throwIfAborted();
    const { pipeline, fresh } = take(mode);
    try {
      return await pipeline.put(stream, options.callTimeoutMs, signal);
    } catch (error) {
      if (fresh || !(error instanceof AppError) || error.code !== 'unavailable') throw error;
      return await attempt(mode, stream, signal);
    } finally {
      giveBack(mode, pipeline);
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
      ended = true;
      for (const pipeline of live) discard(pipeline);
    },
  };
};
