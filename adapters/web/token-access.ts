import { createHmac } from 'node:crypto';
import type { Context, MiddlewareHandler } from 'hono';
import { getCookie } from 'hono/cookie';
import { bearerToken, isSameSecret } from '../../src/http/bearer.ts';
import { setOwnCookie } from './access.ts';
import { newSecret } from './profiles.ts';
import { createTokenAttempts, type TokenAttemptsOptions } from './token-attempts.ts';

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
  const browsers = new Set<string>();

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
    // Everybody can make a cookie of a guessed token, but not the name of a browser that was let in.
    if (!browsers.has(browser) && attempts.isShutOut(c)) return false;
    const held = isSameSecret(given, session);
    if (held && browser !== '') remember(browser);
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
      remember(browser);
      setOwnCookie(c, SESSION_COOKIE, `${session}.${browser}`);
      return true;
    },
    logOut: (c: Context): void => setOwnCookie(c, SESSION_COOKIE, ''),
  };
};
