import type { Context, MiddlewareHandler } from 'hono';
import { setCookie } from 'hono/cookie';
import { isLoopback } from '../../src/config.ts';
import { AppError } from '../../src/errors.ts';

const YEAR_S = 365 * 24 * 60 * 60;

/** True when the connection to the browser is encrypted, as far as a proxy in front tells. */
const isSecure = (c: Context): boolean =>
  new URL(c.req.url).protocol === 'https:' || c.req.header('x-forwarded-proto') === 'https';

/** A cookie that scripts cannot read and other sites cannot have sent. */
export const setOwnCookie = (c: Context, name: string, value: string): void =>
  setCookie(c, name, value, {
    httpOnly: true,
    sameSite: 'Strict',
    path: '/',
    maxAge: value === '' ? 0 : YEAR_S,
    secure: isSecure(c),
  });

/** Refuses names that only a rebinding attack would use, on a server that listens on loopback. */
export const loopbackNamesOnly = (): MiddlewareHandler => async (c, next) => {
  const url = `http://${c.req.header('host') ?? ''}`;
  const host = URL.canParse(url) ? new URL(url).hostname : '';
  if (!isLoopback(host.replaceAll(/^\[|\]$/g, '')))
    throw new AppError('forbidden', 'the Host header is not a name of this machine');
  await next();
};

const isOwnOrigin = (c: Context, origin: string): boolean =>
  URL.canParse(origin) && new URL(origin).host === c.req.header('host');

/**
 * True when another site's page asked a visitor's browser for this. `Sec-Fetch-Site` decides where
 * the browser sends it (HTTPS and loopback), else `Origin`; a client that sends neither is no
 * browser.
 */
export const isFromElsewhere = (c: Context): boolean => {
  const site = c.req.header('sec-fetch-site');
  const origin = c.req.header('origin');
  return site === undefined
    ? origin !== undefined && !isOwnOrigin(c, origin)
    : site !== 'same-origin' && site !== 'none';
};

/** True for a visitor who follows a link to the page, and does not embed it. */
const opensPage = (c: Context): boolean =>
  c.req.method === 'GET' &&
  c.req.path === '/' &&
  c.req.header('sec-fetch-mode') === 'navigate' &&
  c.req.header('sec-fetch-dest') === 'document';

/** Refuses what other sites ask a visitor's browser for, but for a link that opens the page. */
export const ownPageOnly = (): MiddlewareHandler => async (c, next) => {
  if (isFromElsewhere(c) && !opensPage(c))
    throw new AppError('forbidden', 'a request from another site was refused');
  await next();
};
