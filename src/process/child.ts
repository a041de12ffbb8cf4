import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { flushCompileCache, getCompileCacheDir } from 'node:module';
import { devNull } from 'node:os';
import { dirname } from 'node:path';
import { AppError, type ErrorCode } from '../errors.ts';
import { type Log, describeError, type DescribedError } from '../telemetry/log.ts';

export interface ChildOptions {
  readonly name: string;
  readonly file: URL;
  readonly args?: readonly string[];
  readonly log: Log;
  /** Longest time of one call, after which the child is killed. */
  readonly callTimeoutMs: number;
  /** Calls after which a new child takes over, which bounds memory leaks. */
  readonly callsPerChild: number;
  /** Idle time after which the child is stopped; the next call starts one. */
  readonly idleMs: number;
  /**
   * True to tell operators what the child printed to standard error before it died or failed. Only for a
   * child that prints nothing of a request: it calls `closeStandardError` first, or gets no words of anybody.
   */
  readonly tellsErrors?: boolean;
}

export interface Child<Request, Reply> extends AsyncDisposable {
  /**
   * Sends `request` to the child; calls run one at a time, in order. A call during which the child
   * dies is repeated by a new child. Rejects with an `AppError`; its message has the class and the code of
   * what the child threw, whose message can repeat what was sent. `LOG_LEVEL=debug` logs its stack, too.
   */
  call(request: Request, signal: AbortSignal): Promise<Reply>;
}

/** The messages of the channel between parent and child. */
export type ToChild<Request> = { readonly id: number; readonly request: Request };
export type FromChild<Reply> =
  | { readonly id: number; readonly reply: Reply }
  | { readonly id: number; readonly error: DescribedError };

const CRASHES_PER_CALL = 2;
/** Longest end of what a child printed that is told. */
const LONGEST_TOLD = 400;

/** Runs in the child: from now on nothing that it, or a library in it, prints reaches anybody. */
export const closeStandardError = (): void => {
  closeSync(2);
  // The lowest number that is free, again.
  openSync(devNull, 'w');
};

/** Runs in the child: answers each call with the result of `handle`; ends with its parent. */
export const serveParent = (handle: (request: never) => Promise<unknown>): void => {
  process.on('message', ({ id, request }: ToChild<never>) => {
    handle(request).then(
      (reply) => process.send?.({ id, reply } satisfies FromChild<unknown>),
      (thrown: unknown) =>
        process.send?.({ id, error: describeError(thrown) } satisfies FromChild<unknown>),
    );
  });
  // Now, for the parent ends it with a signal, after which nothing is kept.
  flushCompileCache();
  process.on('disconnect', () => process.exit());
  // A Ctrl-C reaches the whole process group; the parent decides when the child ends.
  process.on('SIGINT', () => {});
};

/** Has children keep what they compile with what their parent does. */
const compileCache = (): NodeJS.ProcessEnv => {
  const folder = getCompileCacheDir();
  // Each version of Node.js has a folder in it.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
};

export const createChild = <Request, Reply>(options: ChildOptions): Child<Request, Reply> => {
  const { name, log, tellsErrors = false } = options;
  let printed = '';
  let current: ChildProcess | undefined;
  let callsOfCurrent = 0;
  let lastId = 0;
  let idleTimer: NodeJS.Timeout | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  let closed = false;

  /** Words that the last child printed, on one line. */
  const told = (): string => printed.trim().replaceAll(/\s+/g, ' ');
  /** An error whose cause is what the child printed: logs tell causes, replies to clients don't. */
  const failure = (code: ErrorCode, message: string): AppError =>
    new AppError(code, message, {
      retryable: code === 'unavailable',
      ...(told() === '' ? {} : { cause: new AppError('internal', told()) }),
    });

  const start = (): ChildProcess => {
    const child = fork(options.file, options.args ?? [], {
      // No inherited environment: the child does not need the secrets in it.
      env: compileCache(),
      execArgv: [],
      serialization: 'advanced',
      // What an engine prints can repeat what somebody wrote.
      stdio: ['ignore', 'ignore', tellsErrors ? 'pipe' : 'ignore', 'ipc'],
    });
    printed = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-LONGEST_TOLD);
    });
    child.on('error', (cause) => {
      log.warn({ process: name, err: cause }, 'child process failed');
      child.kill('SIGKILL');
      if (current === child) current = undefined;
    });
    // Closed, not only ended: all that it printed was read.
    child.once('close', (code, signal) => {
      if (current !== child) return;
      current = undefined;
      const said = told() === '' ? {} : { said: told() };
      log.warn({ process: name, code, signal, ...said }, 'child process died');
    });
    callsOfCurrent = 0;
    return child;
  };

  const stop = async (): Promise<void> => {
    clearTimeout(idleTimer);
    const child = current;
    current = undefined;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };

  /** Tries a call; resolves with undefined when the child died during it. */
  const attempt = async (request: Request): Promise<FromChild<Reply> | undefined> => {
    clearTimeout(idleTimer);
    const child = (current ??= start());
    const id = (lastId += 1);
    callsOfCurrent += 1;
    const answer = Promise.withResolvers<FromChild<Reply> | undefined>();
    const onMessage = (message: FromChild<Reply>): void => {
      if (message.id === id) answer.resolve(message);
    };
    const onExit = (): void => answer.resolve(undefined);
    const timer = setTimeout(() => {
      answer.reject(new AppError('timeout', `${name} took too long`, { retryable: true }));
      void stop();
    }, options.callTimeoutMs);
    child.on('message', onMessage);
    child.once('close', onExit);
    child.once('error', onExit);
    try {
      // A child that cannot receive is dead or broken: its exit is awaited, so that the next try
      // gets another child.
      child.send({ id, request } satisfies ToChild<Request>, (error) => {
        if (error) child.kill('SIGKILL');
      });
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      child.off('message', onMessage);
      child.off('close', onExit);
      child.off('error', onExit);
    }
  };

  const settle = async (): Promise<void> => {
    if (callsOfCurrent >= options.callsPerChild) {
      await stop();
      if (!closed) current = start();
    }
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => void stop(), options.idleMs);
    idleTimer.unref();
  };

  const perform = async (request: Request, signal: AbortSignal): Promise<Reply> => {
    for (let tries = 0; tries < CRASHES_PER_CALL; tries += 1) {
      signal.throwIfAborted();
      if (closed) throw new AppError('unavailable', `${name} is shut down`);
      const answer = await attempt(request);
      if (!answer) continue;
      await settle();
      if ('error' in answer) {
        const { type, code = '', message = `${type} ${code}`.trim() } = answer.error;
        log.debug({ process: name, error: answer.error }, 'a call of a child process failed');
        throw failure('bad-reply', `${name}: ${message}`);
      }
      return answer.reply;
    }
    throw failure('unavailable', `${name} crashed`);
  };

  return {
    call: (request, signal) => {
      const result = turn.then(() => perform(request, signal));
      turn = result.catch(() => undefined);
      return result;
    },
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await stop();
    },
  };
};
