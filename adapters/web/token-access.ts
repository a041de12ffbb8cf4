import { createHmac } from 'node:crypto';
import type { BlockList } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { getConnInfo } from '@hono/node-server/conninfo';
import { bearerToken, isSameSecret } from '../../src/http/bearer.ts';
import { type AppError, userError } from '../../src/errors.ts';
import type { Log } from '../../src/log.ts';
import { setOwnCookie } from './access.ts';
import { clientAddress, networkOf, parseAddress } from './client-address.ts';
import { createFailedAttempts } from './failed-attempts.ts';
import { newSecret } from './profiles.ts';

const SESSION_COOKIE = 'dragoman_session';

/** Most browsers that stay logged in while their network is shut out. */
const MAX_KNOWN_BROWSERS = 1_000;
const MINUTE_MS = 60_000;

/** A time of day that is the same for everybody, in the locale's way of writing. */
const timeText = (locale: string, timeMs: number): string =>
  new Intl.DateTimeFormat(locale, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: 'UTC',
    timeZoneName: 'short',
  }).format(timeMs);

export interface TokenAccessOptions {
  readonly token: string;
  /** Proxies whose word on a client's address is believed. */
  readonly trustedProxies: BlockList;
  /** Name of the header in which they give it. */
  readonly clientAddressHeader: string;
  readonly localeOf: (c: Context) => string;
  readonly log: Log;
  /** Returns ms since 1970. */
  readonly now: () => number;
}

export const createTokenAccess = ({
  token,
  trustedProxies,
  clientAddressHeader,
  localeOf,
  log,
  now,
}: TokenAccessOptions) => {
  // Not the token itself: a cookie that leaks must not be usable as a bearer token elsewhere.
  const session = createHmac('sha256', token).update('dragoman page session').digest('base64url');
  const failures = createFailedAttempts(now);
  /** Browsers that held the session; each has a random name in its cookie. */
  const browsers = new Set<string>();

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

  const refuseShutOut = (c: Context, network: string): void => {
    const untilMs = failures.shutOutUntilMs(network);
    if (untilMs !== undefined) throw shutOut(c, untilMs);
  };

  const isToken = (c: Context, given: string): boolean => {
    const network = networkFor(c);
    refuseShutOut(c, network);
    const held = isSameSecret(given, token);
    if (held) failures.forget(network);
    else if (failures.addToken(network)) warnOfProxy(c, network);
    return held;
  };

  const remember = (browser: string): void => {
    browsers.delete(browser);
    browsers.add(browser);
    const [oldest] = browsers;
    if (browsers.size > MAX_KNOWN_BROWSERS && oldest !== undefined) browsers.delete(oldest);
  };

  /** Tells whether a request brings the session's cookie; a wrong one counts as an attempt. */
  const holdsSession = (c: Context): boolean => {
    const [given = '', browser = ''] = (getCookie(c, SESSION_COOKIE) ?? '').split('.');
    if (given === '') return false;
    const network = networkFor(c);
    // Everybody can make a cookie of a guessed token, but not the name of a browser that was let in.
    if (!browsers.has(browser) && failures.shutOutUntilMs(network) !== undefined) return false;
    const held = isSameSecret(given, session);
    if (held && browser !== '') remember(browser);
    else if (!held && failures.addCookie(network, given)) warnOfProxy(c, network);
    return held;
  };

  return {
    /** Passes those who hold the token; refuses those shut out, and gives the others to `otherwise`. */
    guard:
      (otherwise: (c: Context) => Response | Promise<Response>): MiddlewareHandler =>
      async (c, next) => {
        const bearer = bearerToken(c.req.header('authorization'));
        if (bearer === undefined ? holdsSession(c) : isToken(c, bearer)) return next();
        refuseShutOut(c, networkFor(c));
        return otherwise(c);
      },
    /** True, with the session's cookie set, when `given` is the token. Attempts are limited. */
    logIn: (c: Context, given: string): boolean => {
      if (!isToken(c, given)) return false;
      const browser = newSecret();
      remember(browser);
      setOwnCookie(c, SESSION_COOKIE, `${session}.${browser}`);
      return true;
    },
    logOut: (c: Context): void => setOwnCookie(c, SESSION_COOKIE, ''),
  };
};
