import type { BlockList } from 'node:net';
import type { Context } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { isSameSecret } from '../../src/http/bearer.ts';
import { type AppError, userError } from '../../src/errors.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { clientAddress, networkOf, parseAddress } from './client-address.ts';
import { createFailedAttempts } from './failed-attempts.ts';

const MINUTE_MS = 60_000;

/** A time of day that is the same for everybody, in the locale's way of writing. */
const timeText = (locale: string, timeMs: number): string =>
  new Intl.DateTimeFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(timeMs);

export interface TokenAttemptsOptions {
  /** Proxies whose word on a client's address is believed. */
  readonly trustedProxies: BlockList;
  /** Name of the header in which they give it. */
  readonly clientAddressHeader: string;
  readonly localeOf: (c: Context) => string;
  readonly log: Log;
  /** Returns ms since 1970. */
  readonly now: () => number;
}

/** Attempts at one token: too many wrong ones shut out the network that they come from. */
export const createTokenAttempts = ({
  trustedProxies,
  clientAddressHeader,
  localeOf,
  log,
  now,
}: TokenAttemptsOptions) => {
  const failures = createFailedAttempts(now);

  /** The network that attempts count for. */
  const networkFor = (c: Context): string => {
    const remote = getConnInfo(c).remote.address ?? '';
    return networkOf(clientAddress(trustedProxies, remote, c.req.header(clientAddressHeader)));
  };

  const shutOut = (c: Context, untilMs: number): AppError => {
    // The first whole minute at which it is over.
    const shownMs = Math.ceil(untilMs / MINUTE_MS) * MINUTE_MS;
    const time = timeText(localeOf(c), shownMs);
    return userError(
      'rate-limited',
      'web.errors.too-many-attempts',
      { time },
      { retryAfterMs: untilMs - now() },
    );
  };

  /** Tells operators why one person's attempts may shut out everybody. */
  const warnOfProxy = (c: Context, network: string): void => {
    const remote = parseAddress(getConnInfo(c).remote.address ?? '') ?? '';
    if (c.req.header('x-forwarded-for') !== undefined && networkOf(remote) === network)
      log.warn(
        'all clients of a proxy were shut out: set TRUSTED_PROXIES and CLIENT_ADDRESS_HEADER for it',
      );
  };

  /** Throws `rate-limited` for a client that is shut out. */
  const refuseShutOut = (c: Context, network = networkFor(c)): void => {
    const untilMs = failures.shutOutUntilMs(network);
    if (untilMs !== undefined) throw shutOut(c, untilMs);
  };

  return {
    refuseShutOut,
    isShutOut: (c: Context): boolean => failures.shutOutUntilMs(networkFor(c)) !== undefined,
    /** Tells whether a client gave the token; a wrong one counts. Throws `rate-limited` for one that is shut out. */
    isToken: (c: Context, given: string, token: string): boolean => {
      const network = networkFor(c);
      refuseShutOut(c, network);
      const held = isSameSecret(given, token);
      if (held) failures.forget(network);
      else if (failures.addToken(network)) warnOfProxy(c, network);
      return held;
    },
    /** Counts a wrong cookie, each value once. */
    addCookie: (c: Context, given: string): void => {
      const network = networkFor(c);
      if (failures.addCookie(network, given)) warnOfProxy(c, network);
    },
  };
};
