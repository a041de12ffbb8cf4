import { hash, createHmac } from 'node:crypto';
import type { BlockList } from 'node:net';
import type { Context, MiddlewareHandler } from 'hono';
import { getConnInfo } from '@hono/node-server/conninfo';
import { createLru } from '../../src/async/lru.ts';
import { isSameSecret, bearerToken } from '../../src/http/secrets.ts';
import { type AppError, userError } from '../../src/errors.ts';
import type { Log } from '../../src/telemetry/log.ts';
import { clientAddress, networkOf, parseAddress, setOwnCookie } from './access.ts';
import { getCookie } from 'hono/cookie';
import { newSecret } from './profiles.ts';

const ATTEMPTS = 10;
const ATTEMPTS_WINDOW_MS = 5 * 60_000;
const MAX_TRACKED_NETWORKS = 1_000;

interface Failures {
  readonly count: number;
  readonly sinceMs: number;
  /** Digests of the wrong cookies among them. */
  readonly cookies: ReadonlySet<string>;
}

const NONE = { count: 0, cookies: new Set<string>() };

/**
 * Counts the failures of each network, which is shut out after ten in five minutes.
 *
 * @param now returns ms since 1970
 */
export const createFailedAttempts = (now: () => number) => {
  const networks = createLru<string, Failures>(MAX_TRACKED_NETWORKS);

  /** The failures that still count. */
  const recent = (network: string): Failures | undefined => {
    const failed = networks.get(network);
    const agoMs = failed ? now() - failed.sinceMs : Infinity;
    // They lie ahead where the clock was set back, and would shut out people for as long.
    return agoMs >= 0 && agoMs < ATTEMPTS_WINDOW_MS ? failed : undefined;
  };

  /** Returns true for the failure that shuts the network out. */
  const add = (network: string, cookie?: string): boolean => {
    const { count, sinceMs, cookies } = recent(network) ?? { ...NONE, sinceMs: now() };
    const known = cookie === undefined ? cookies : new Set([...cookies, hash('sha256', cookie)]);
    // A page goes on sending a cookie that was right once, and all pages of a token send the same.
    if (cookie !== undefined && known.size === cookies.size) return false;
    networks.set(network, { count: count + 1, sinceMs, cookies: known });
    return count + 1 === ATTEMPTS;
  };

  return {
    /** The time until which a network is shut out, in ms since 1970; undefined when it is not. */
    shutOutUntilMs: (network: string): number | undefined => {
      const failed = recent(network);
      return failed && failed.count >= ATTEMPTS ? failed.sinceMs + ATTEMPTS_WINDOW_MS : undefined;
    },
    /** Counts a wrong token; returns true for the failure that shuts the network out. */
    addToken: (network: string): boolean => add(network),
    /** Counts a wrong cookie, each value once; returns true for the failure that shuts the network out. */
    addCookie: (network: string, cookie: string): boolean => add(network, cookie),
    forget: (network: string): void => networks.delete(network),
  };
};

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
export const createTokenAttempts = (options: TokenAttemptsOptions) => {
  const { trustedProxies, clientAddressHeader, localeOf, log, now } = options;
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

const SESSION_COOKIE = 'dragoman_session';

/** Most browsers that stay logged in while their network is shut out. */
const MAX_KNOWN_BROWSERS = 1_000;

export interface TokenAccessOptions extends TokenAttemptsOptions {
  readonly token: string;
}

export const createTokenAccess = ({ token, ...options }: TokenAccessOptions) => {
  // Not the token itself: a cookie that leaks must not be usable as a bearer token elsewhere.
  const session = createHmac('sha256', token).update('dragoman page session').digest('base64url');
  const attempts = createTokenAttempts(options);
  /** Browsers that held the session; each has a random name in its cookie. */
  const browsers = createLru<string, true>(MAX_KNOWN_BROWSERS);
  /** Tells whether a request brings the session's cookie; a wrong one counts as an attempt. */
  const holdsSession = (c: Context): boolean => {
    const [given = '', browser = ''] = (getCookie(c, SESSION_COOKIE) ?? '').split('.');
    if (given === '') return false;
    // Everybody can make a cookie of a guessed token, but not the name of a browser that was let in.
    if (!browsers.get(browser) && attempts.isShutOut(c)) return false;
    const held = isSameSecret(given, session);
    if (held && browser !== '') browsers.set(browser, true);
    else if (!held) attempts.addCookie(c, given);
    return held;
  };

  return {
    /** Passes those who hold the token; refuses those shut out, and gives the others to `otherwise`. */
    guard:
      (otherwise: (c: Context) => Response | Promise<Response>): MiddlewareHandler =>
      async (c, next) => {
        const bearer = bearerToken(c.req.header('authorization'));
        if (bearer === undefined ? holdsSession(c) : attempts.isToken(c, bearer, token))
          return next();
        attempts.refuseShutOut(c);
        return otherwise(c);
      },
    /** True, with the session's cookie set, when `given` is the token. Attempts are limited. */
    logIn: (c: Context, given: string): boolean => {
      if (!attempts.isToken(c, given, token)) return false;
      const browser = newSecret();
      browsers.set(browser, true);
      setOwnCookie(c, SESSION_COOKIE, `${session}.${browser}`);
      return true;
    },
    logOut: (c: Context): void => setOwnCookie(c, SESSION_COOKIE, ''),
  };
};
