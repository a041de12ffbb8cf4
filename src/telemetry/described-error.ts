import { AppError } from '../errors.ts';

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
