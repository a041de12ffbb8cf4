import { backoffMs } from '../../async/backoff.ts';
import type { Clock } from '../../async/clock.ts';
import type { AppError } from '../../errors.ts';
import { createLru } from '../../async/lru.ts';
import type { Log } from '../../log.ts';
import { keyOf, type Space } from '../../model/place.ts';
import { ServiceError } from '../service-error.ts';

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

interface AvailabilityDeps {
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly log: Pick<Log, 'warn' | 'info'>;
}

/** Creates the state of one path, `name`; the log tells once when it goes off, and when it is back. */
export const createAvailability = (
  name: 'recognition' | 'speech',
  { clock, log }: AvailabilityDeps,
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

/** Spaces whose own key was refused that are remembered. */
const KEPT_SPACES = 500;

/** Finds whether a path is to be used for a space. */
export type AvailabilityFor = (space: Space) => Availability;

/**
 * Creates the state of one path for all spaces: what the service refuses a space's own key turns the
 * path off for that space alone.
 */
export const createAvailabilities = (
  name: 'recognition' | 'speech',
  deps: AvailabilityDeps,
): AvailabilityFor => {
  const shared = createAvailability(name, deps);
  const own = createLru<string, Availability>(KEPT_SPACES);
  return (space) => {
    const key = keyOf(space);
    return {
      mayTry: () => (own.get(key)?.mayTry() ?? true) && shared.mayTry(),
      succeeded: () => {
        own.delete(key);
        shared.succeeded();
      },
      failed: (error) => {
        if (!(error instanceof ServiceError && error.isOfOwnKey)) return shared.failed(error);
        const its = own.get(key) ?? createAvailability(name, deps);
        own.set(key, its);
        its.failed(error);
      },
    };
  };
};
