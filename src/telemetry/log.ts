import { AppError, toAppError } from '../errors.ts';
import { pino, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import { toTerminal } from './terminal.ts';
import { currentTraceId } from './tracing.ts';

/** Causes of causes beyond this tell nothing more. */
const MOST_CAUSES = 4;
/** `ECONNRESET`, `CSV_INVALID_ARGUMENT`, `50035`, `22P02`: nothing that somebody wrote looks like these. */
const CODE = /^(?:[A-Z][A-Z\d_]{1,60}|[a-z]+(?:-[a-z]+)*|\d{1,6}|[A-Z\d]{5})$/;
const FRAME = /^ {4}at .*(?:\(.*\)|:\d+:\d+)$/;

const codeOf = (error: Error): string | undefined => {
  const { code } = error as { readonly code?: unknown };
  const written = typeof code === 'string' || typeof code === 'number' ? String(code) : '';
  return CODE.test(written) ? written : undefined;
};

/** The lines of the stack that stand below the message, which may have lines of its own. */
const framesOf = ({ stack = '', message }: Error): string => {
  const place = stack.indexOf(message);
  return stack
    .slice(place < 0 ? 0 : place + message.length)
    .split('\n')
    .filter((line) => FRAME.test(line))
    .join('\n');
};

/** An error as it may be logged: nothing in it repeats what somebody wrote. */
export interface DescribedError {
  /** The name of its class, or what else was thrown. */
  readonly type: string;
  readonly code?: string;
  /** The message of an `AppError`, which holds nobody's text. */
  readonly message?: string;
  /** The places of the program through which it came, a line each. */
  readonly stack?: string;
  readonly cause?: DescribedError;
}

/**
 * Describes anything thrown as far as it may be logged. Messages and fields of other people's
 * errors repeat what was sent: of those only the class, the code and the stack are told.
 */
export const describeError = (thrown: unknown, causes = MOST_CAUSES): DescribedError => {
  if (!(thrown instanceof Error)) return { type: typeof thrown };
  const code = codeOf(thrown);
  return {
    type: thrown.constructor.name,
    ...(code === undefined ? {} : { code }),
    ...(thrown instanceof AppError ? { message: thrown.message } : {}),
    stack: framesOf(thrown),
    ...(thrown.cause === undefined || causes === 0
      ? {}
      : { cause: describeError(thrown.cause, causes - 1) }),
  };
};

export type Log = Pick<Logger, 'trace' | 'debug' | 'info' | 'warn' | 'error' | 'child'>;

export const logLevel = z
  .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
  .default('info');

/** Fields that must never be written, wherever they stand in what is logged. */
const SECRET_PATHS = ['text', 'key', 'token', 'audio', 'authorization'].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
]);

/**
 * JSON lines on standard error, readable ones at a terminal: a static message, facts in fields; never anybody's text or keys.
 * What was thrown goes into the field `err`; a line of a trace has the field `trace_id`.
 */
export const createLog = (
  level: z.infer<typeof logLevel>,
  to: DestinationStream = process.stderr.isTTY
    ? toTerminal
    : pino.destination({ dest: 2, sync: false }),
): Logger =>
  pino(
    {
      level,
      base: null,
      mixin: () => {
        const traceId = currentTraceId();
        return traceId === undefined ? {} : { trace_id: traceId };
      },
      redact: { paths: SECRET_PATHS, censor: '[hidden]' },
      serializers: { err: (thrown: unknown) => describeError(thrown) },
    },
    to,
  );

/** Runs work that may fail without harm; logs a failure with the given message, and resolves with it. */
export const logFailure = async (
  log: Pick<Log, 'warn'>,
  message: string,
  run: () => Promise<unknown>,
): Promise<AppError | undefined> => {
  try {
    await run();
    return undefined;
  } catch (thrown) {
    const error = toAppError(thrown);
    log.warn({ code: error.code, reason: error.message }, message);
    return error;
  }
};
