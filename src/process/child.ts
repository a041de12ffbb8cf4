import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { orAborted } from '../async/abort.ts';
import { createSemaphore } from '../async/locks.ts';
import { AppError, type ErrorCode } from '../errors.ts';
import { endChild } from './end-child.ts';
import { LOADING } from './loading.ts';
import type { Log } from '../telemetry/log.ts';
import type { ChildAnswer, FromChild, ToChild } from './serve-parent.ts';

export interface ChildOptions {
  readonly name: string;
  readonly file: URL;
  readonly args?: readonly string[];
  readonly log: Log;
  /** Longest time of one call, after which the child is killed. */
  readonly callTimeoutMs: number;
  /** The same of a child's first call, which may load a model. Default: `callTimeoutMs`. */
  readonly firstCallTimeoutMs?: number;
  /**
   * Time after which a child is killed that goes on with a call for which nobody waits any more; not in its first
   * call, which may load a model. Default: `callTimeoutMs`.
   */
  readonly leftTimeoutMs?: number;
  /** Calls after which a new child takes over, which bounds memory leaks. */
  readonly callsPerChild: number;
  /** Idle time after which the child is stopped; the next call starts one. */
  readonly idleMs: number;
  /**
   * True to tell operators what the child printed to standard error before it died or failed. Only for a
   * child that prints nothing of a request: it calls `closeStandardError` first, or gets no words of anybody.
   */
  readonly tellsErrors?: boolean;
  /** Times that a call is begun as long as the child dies during it. Default: 2. */
  readonly attempts?: number;
  /** Calls at the same time. Default: 1. */
  readonly concurrent?: number;
  /** Called when the child has died by itself, with what it printed; see `tellsErrors`. */
  readonly onDeath?: (said: string) => void;
}

export interface Child<Request, Reply, Part = never> extends AsyncDisposable {
  /**
   * Sends `request` to the child; calls begin in order. A call during which the child dies is repeated by a
   * new child, see `attempts`, unless parts of its reply have come. Rejects with an `AppError`; its message has
   * the class and the code of what the child threw, whose message can repeat what was sent. `LOG_LEVEL=debug`
   * logs its stack, too. Rejects with the signal's reason at once; the next call waits until the child has stopped.
   *
   * @param onPart gets the parts of the reply that the child sends before its end
   */
  call(request: Request, signal: AbortSignal, onPart?: (part: Part) => void): Promise<Reply>;
  /** True while there is a process. */
  readonly isRunning: boolean;
  /** Ends the process; the next call starts one. */
  stop(): Promise<void>;
  /** Memory of the process when it last replied; undefined before. */
  readonly memoryBytes: number | undefined;
}

/** Longest end of what a child printed that is told. */
const LONGEST_TOLD = 400;

export const createChild = <Request, Reply, Part = never>(
  options: ChildOptions,
): Child<Request, Reply, Part> => {
  const { name, log, tellsErrors = false, attempts = 2, concurrent = 1 } = options;
  let printed = '';
  let current: ChildProcess | undefined;
  let callsOfCurrent = 0;
  let lastId = 0;
  let memoryBytes: number | undefined;
  let idleTimer: NodeJS.Timeout | undefined;
  const turns = createSemaphore(concurrent);
  let running = 0;
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
      env: {},
      execArgv: LOADING,
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
      endChild(child);
      if (current === child) current = undefined;
    });
    // Closed, not only ended: all that it printed was read.
    child.once('close', (code, signal) => {
      if (current !== child) return;
      current = undefined;
      const said = told() === '' ? {} : { said: told() };
      log.warn({ process: name, code, signal, ...said }, 'child process died');
      options.onDeath?.(told());
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
    endChild(child);
    await ended;
  };

  /** Tries a call; resolves with undefined when the child died during it. */
  const attempt = async (
    request: Request,
    signal: AbortSignal,
    onPart: (part: Part) => void,
  ): Promise<ChildAnswer<Reply> | undefined> => {
    clearTimeout(idleTimer);
    const child = (current ??= start());
    const id = (lastId += 1);
    callsOfCurrent += 1;
    const timeoutMs =
      (callsOfCurrent === 1 ? options.firstCallTimeoutMs : undefined) ?? options.callTimeoutMs;
    const answer = Promise.withResolvers<ChildAnswer<Reply> | undefined>();
    const onMessage = (message: FromChild<Reply, Part>): void => {
      if (message.id !== id) return;
      if ('part' in message) onPart(message.part);
      else answer.resolve(message);
    };
    let leftTimer: NodeJS.Timeout | undefined;
    const cancel = (): void => {
      // A child that cannot receive has ended.
      child.send({ id, isCancelled: true } satisfies ToChild<Request>, () => {});
      const { leftTimeoutMs } = options;
      if (leftTimeoutMs === undefined || callsOfCurrent === 1) return;
      // It is not killed while it works for others.
      leftTimer = setTimeout(() => running === 1 && void stop(), leftTimeoutMs);
    };
    const onExit = (): void => answer.resolve(undefined);
    const timer = setTimeout(() => {
      answer.reject(new AppError('timeout', `${name} took too long`, { retryable: true }));
      void stop();
    }, timeoutMs);
    child.on('message', onMessage);
    child.once('close', onExit);
    child.once('error', onExit);
    signal.addEventListener('abort', cancel, { once: true });
    try {
      // A child that cannot receive is dead or broken: its exit is awaited, so that the next try
      // gets another child.
      child.send({ id, request } satisfies ToChild<Request>, (error) => {
        if (error) endChild(child);
      });
      return await answer.promise;
    } finally {
      clearTimeout(timer);
      clearTimeout(leftTimer);
      signal.removeEventListener('abort', cancel);
      child.off('message', onMessage);
      child.off('close', onExit);
      child.off('error', onExit);
    }
  };

  const settle = async (): Promise<void> => {
    if (running > 0) return;
    if (callsOfCurrent >= options.callsPerChild) {
      await stop();
      if (!closed) current = start();
    }
    clearTimeout(idleTimer);
    idleTimer = setTimeout(() => void stop(), options.idleMs);
    idleTimer.unref();
  };

  const perform = async (
    request: Request,
    signal: AbortSignal,
    onPart?: (part: Part) => void,
  ): Promise<Reply> => {
    let hasBegun = false;
    for (let tries = 0; tries < attempts; tries += 1) {
      signal.throwIfAborted();
      if (closed) throw new AppError('unavailable', `${name} is shut down`);
      running += 1;
      const answer = await attempt(request, signal, (part) => {
        hasBegun = true;
        onPart?.(part);
      }).finally(() => {
        running -= 1;
      });
      if (!answer && hasBegun) break;
      if (!answer) continue;
      await settle();
      if ('error' in answer) {
        const { type, code = '', message = `${type} ${code}`.trim() } = answer.error;
        log.debug({ process: name, error: answer.error }, 'a call of a child process failed');
        throw failure('bad-reply', `${name}: ${message}`);
      }
      memoryBytes = answer.memoryBytes;
      return answer.reply;
    }
    throw failure('unavailable', `${name} crashed`);
  };

  return {
    stop,
    get isRunning() {
      return current !== undefined;
    },
    call: (request, signal, onPart) =>
      orAborted(
        turns.use(() => perform(request, signal, onPart), signal),
        signal,
      ),
    get memoryBytes() {
      return memoryBytes;
    },
    [Symbol.asyncDispose]: async () => {
      closed = true;
      await stop();
    },
  };
};
