import { type AppError, faultFields, toAppError } from '../errors.ts';
import { pino, type DestinationStream, type Logger } from 'pino';
import { z } from 'zod';
import { describeError } from './described-error.ts';
import { toTerminal } from './terminal.ts';
import { currentTraceId } from './tracing.ts';

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
    log.warn(faultFields(thrown), message);
    return toAppError(thrown);
  }
};
