import { backoffMs, type Clock } from '../../async/clock.ts';
import type { AppError } from '../../errors.ts';
import { createLru } from '../../async/lru.ts';
import type { Log } from '../../telemetry/log.ts';
import type { KeyIdentity } from '../keys.ts';

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

/**
 * Creates the state of one path, `name`; the log tells once when it goes off, and when it is back.
 *
 * @param ownKey true for the state of a key that a space brought
 */
export const createAvailability = (
  name: 'recognition' | 'speech',
  { clock, log }: AvailabilityDeps,
  ownKey = false,
) => {
  let failures = 0;
  /** Waits so far; 0 while the path is on. */
  let waits = 0;
  let againMs = 0;

  const turnOff = (error: AppError): void => {
    if (waits === 0)
      log.warn(
        { path: name, ownKey, code: error.code, reason: error.message },
        'a realtime path is off: requests take its place',
      );
    againMs = clock.nowMs() + backoffMs(AGAIN, waits);
    waits += 1;
  };

  /** True when `mayTry` would be; starts no probe. */
  const isDue = (): boolean => waits === 0 || clock.nowMs() >= againMs;

  return {
    isDue,
    mayTry: (): boolean => {
      if (!isDue()) return false;
      // Others wait for the outcome of this one.
      againMs = clock.nowMs() + AGAIN.firstMs;
      return true;
    },
    succeeded: (): void => {
      if (waits > 0) log.info({ path: name, ownKey }, 'a realtime path works again');
      failures = 0;
      waits = 0;
    },
    failed: (error: AppError): void => {
      failures += 1;
      if (isRefused(error) || failures >= FAILURES) turnOff(error);
    },
  };
};

/** Keys whose state is remembered. */
const MOST_KEYS = 500;

/** Finds whether a path is to be used with a key. */
export type AvailabilityFor = (key: KeyIdentity) => Availability;

/** True for a failure of the service itself, whichever the key. */
const isAway = ({ code }: AppError): boolean => code === 'unavailable' || code === 'timeout';

/**
 * Creates the state of one path for all keys: it is off for all of them while the service is away, and
 * off for one key that is refused it.
 */
export const createAvailabilities = (
  name: 'recognition' | 'speech',
  deps: AvailabilityDeps,
): AvailabilityFor => {
  const shared = createAvailability(name, deps);
  const byKey = createLru<string, ReturnType<typeof createAvailability>>(MOST_KEYS);
  return ({ id, isOwn }) => {
    const its = byKey.get(id) ?? createAvailability(name, deps, isOwn);
    byKey.set(id, its);
    return {
      // Both are asked before either starts its probe, which would be lost where the other is off.
      mayTry: () => its.isDue() && shared.isDue() && its.mayTry() && shared.mayTry(),
      succeeded: () => {
        its.succeeded();
        shared.succeeded();
      },
      failed: (error) => (isAway(error) ? shared : its).failed(error),
    };
  };
};
