import { backoffMs } from '../../async/backoff.ts';
import type { Clock } from '../../async/clock.ts';
import type { AppError } from '../../errors.ts';
import type { Log } from '../../log.ts';

/** Sessions in a row that fail before the path is left alone for a while. */
const FAILURES = 3;
/** Waits before a path that failed is tried again. */
const AGAIN = { firstMs: 60_000, longestMs: 900_000 };

/** Tells whether a WebSocket path is to be used; without it the requests of the contract are. */
export interface Availability {
  /** True when a session may be opened; while the path is off, once per wait, as a probe. */
  readonly mayTry: () => boolean;
  readonly succeeded: () => void;
  /** Notes that a session failed and its work was done by requests. */
  readonly failed: (error: AppError) => void;
}

/** True when the service does not offer the path, or not to this key. */
const isRefused = ({ code }: AppError): boolean =>
  code === 'config' || code === 'forbidden' || code === 'missing';

/** Creates the state of one path, `name`; the log tells once when it goes off, and when it is back. */
export const createAvailability = (
  name: 'recognition' | 'speech',
  {
    clock,
    log,
  }: { readonly clock: Pick<Clock, 'nowMs'>; readonly log: Pick<Log, 'warn' | 'info'> },
): Availability => {
  let failures = 0;
  /** Waits so far; 0 while the path is on. */
  let waits = 0;
  let againMs = 0;

  const turnOff = (error: AppError): void => {
    if (waits === 0)
      log.warn(
        { path: name, code: error.code, reason: error.message },
        'a realtime path is off: requests take its place',
      );
    againMs = clock.nowMs() + backoffMs(AGAIN, waits);
    waits += 1;
  };

  return {
    mayTry: () => {
      if (waits === 0) return true;
      if (clock.nowMs() < againMs) return false;
      // Others wait for the outcome of this one.
      againMs = clock.nowMs() + AGAIN.firstMs;
      return true;
    },
    succeeded: () => {
      if (waits > 0) log.info({ path: name }, 'a realtime path works again');
      failures = 0;
      waits = 0;
    },
    failed: (error) => {
      failures += 1;
      if (isRefused(error) || failures >= FAILURES) turnOff(error);
    },
  };
};
