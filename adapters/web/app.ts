import type { BlockList } from 'node:net';
import { Hono, type Context, type MiddlewareHandler } from 'hono';
import { etag } from 'hono/etag';
import { secureHeaders } from 'hono/secure-headers';
import type { ContentfulStatusCode } from 'hono/utils/http-status';
import { isLoopback } from '../../src/config.ts';
import { AppError, type ErrorCode, toAppError } from '../../src/errors.ts';
import { say } from '../../src/i18n/texts.ts';
import type { Core } from '../../src/adapter.ts';
import type { ServiceState } from '../../src/command/services.ts';
import { OPS_PATHS } from '../../src/ops/pages.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import { isLocale } from '../../src/text/language/language-names.ts';
import {
  heldSecret,
  isFromElsewhere,
  loopbackNamesOnly,
  MEMBER_COOKIE,
  ownPageOnly,
  setOwnCookie,
} from './access.ts';
import { createApiRoutes, type WebEnv } from './api.ts';
import type { Assets } from './assets.ts';
import { WEB_LIMITS } from './limits.ts';
import { createModelRoutes, isModelsOperator } from './models.ts';
import { createDictationHandler, DICTATION_PATH } from './dictations.ts';
import { newSecret, PLATFORM, type Profile } from './profiles.ts';
import type { WebPresence } from './presence.ts';
import { loginShell, pageShell, pageTexts, CONTENT_SECURITY_POLICY } from './shell.ts';
import { createTokenAccess, createTokenAttempts } from './token-access.ts';

/** Paths whose connections belong to a page that is open. */
const CONNECTIONS: readonly string[] = ['/events', DICTATION_PATH];

const STATUS = {
  'bad-input': 400,
  'not-found': 404,
  forbidden: 403,
  'too-large': 413,
  unsupported: 415,
  'rate-limited': 429,
  unavailable: 503,
  missing: 503,
  timeout: 504,
  cancelled: 409,
  'bad-reply': 502,
  config: 500,
  internal: 500,
} as const satisfies Record<ErrorCode, ContentfulStatusCode>;

export interface WebOptions {
  readonly host: string;
  readonly port: number;
  readonly token: string | undefined;
  /** Proxies whose word on a client's address is believed. */
  readonly trustedProxies: BlockList;
  /** Name of the header in which they give it. */
  readonly clientAddressHeader: string;
  readonly maxUploadBytes: number;
  /** Time that work goes on after its asker's page has gone. */
  readonly graceMs?: number | undefined;
  /** Returns ms since 1970. */
  readonly now?: () => number;
}

export interface AppDeps {
  readonly core: Core;
  readonly presence: WebPresence;
  readonly assets: Assets;
  readonly options: WebOptions;
  readonly status: () => Promise<ServiceState>;
}

/** The languages that a browser asks for, best first. */
const wantedLocales = (c: Context): string[] =>
  (c.req.header('accept-language') ?? '')
    .split(',')
    .map((part) => part.split(';')[0]?.trim() ?? '')
    .filter((tag) => /^[a-z]{2,3}(?:-[a-z0-9]{2,8})*$/i.test(tag) && isLocale(tag))
    .slice(0, 10);

/** True when a browser asks for a page; other programs ask for JSON, or for nothing in particular. */
const isNavigation = (c: Context): boolean =>
  // A page's own addresses are relative, so none stands in a folder.
  /\btext\/html\b/.test(c.req.header('accept') ?? '') && !c.req.path.includes('/', 1);

const showPage = (
  c: Context,
  body: ReturnType<typeof pageShell>,
  status: 200 | 401 | 429 = 200,
) => {
  c.header('cache-control', 'private, no-cache');
  c.header('vary', 'accept-language');
  return c.html(body, status);
};

export const createWebApp = (deps: AppDeps): Hono<WebEnv> => {
  const { core, presence, assets } = deps;
  const { host, token, maxUploadBytes, now = Date.now } = deps.options;
  const app = new Hono<WebEnv>();

  /** The tag that gives the best of our locales, so that the person's own region is kept. */
  const wantedLocale = (c: Context): string => {
    const locales = wantedLocales(c);
    const best = core.texts.pick(locales);
    return locales.find((tag) => core.texts.pick([tag]) === best) ?? best;
  };
  /** The tag of what is shown: ours where we do not have the person's language. */
  const localeOf = (c: Context): string => {
    const locales = wantedLocales(c);
    const best = core.texts.pick(locales);
    const { language } = new Intl.Locale(best);
    return locales.find((tag) => new Intl.Locale(tag).language === language) ?? best;
  };

  const isOperator = (c: Context): boolean => isModelsOperator(c, deps.options);

  const askForToken = (c: Context, status: 401 | 429, fault?: string) => {
    const locale = localeOf(c);
    return showPage(c, loginShell(locale, core.texts.in(locale), assets.styles, fault), status);
  };

  app.onError((thrown, c) => {
    const error = toAppError(thrown);
    if (error.code === 'internal') core.log.error({ err: error }, 'request failed');
    const sentence = say(core.texts.rich(localeOf(c)), error.sentence);
    if (error.retryAfterMs !== undefined)
      c.header('retry-after', String(Math.ceil(error.retryAfterMs / 1_000)));
    // Only those who are shut out see an error in place of the page.
    return error.code === 'rate-limited' && isNavigation(c)
      ? askForToken(c, 429, plainText(sentence))
      : c.json({ error: plainText(sentence) }, STATUS[error.code]);
  });
  app.notFound((c) => c.json({ error: core.texts.in(localeOf(c))('errors.not-found') }, 404));

  app.use(
    secureHeaders({
      contentSecurityPolicy: CONTENT_SECURITY_POLICY,
      // Whether this address is to be had over HTTPS for ever is for a proxy in front to say.
      strictTransportSecurity: false,
      xFrameOptions: 'DENY',
      // Not `no-referrer`: with it forms of the page itself would say that their origin is null.
      referrerPolicy: 'same-origin',
      permissionsPolicy: { microphone: ['self'], camera: [], geolocation: [] },
    }),
  );
  const attemptsOptions = { ...deps.options, localeOf, log: core.log, now };
  const metricsAttempts = createTokenAttempts(attemptsOptions);
  for (const path of OPS_PATHS)
    app.get(path, async (c) => {
      const reply = await core.ops.reply(path, {
        authorization: c.req.header('authorization'),
        isPublic: true,
        isToken: (given, right) => metricsAttempts.isToken(c, given, right),
      });
      return c.body(reply.body, reply.status, { 'content-type': reply.mediaType });
    });
  // With a token a rebound name gains nothing, and a proxy in front has a name of its own.
  if (isLoopback(host) && token === undefined) app.use(loopbackNamesOnly());
  app.use(ownPageOnly());
  app.route('/', assets.routes);

  if (token !== undefined) {
    const access = createTokenAccess({ ...attemptsOptions, token });
    app.post('/login', async (c) => {
      const length = Number(c.req.header('content-length'));
      const given = length > 0 && length < 4_096 ? (await c.req.parseBody())['token'] : undefined;
      if (typeof given === 'string' && access.logIn(c, given)) return c.redirect('./', 303);
      return askForToken(c, 401, core.texts.in(localeOf(c))('web.login.wrong'));
    });
    app.use(
      access.guard((c) =>
        c.req.path === '/'
          ? askForToken(c, 401)
          : c.json({ error: core.texts.in(localeOf(c))('web.errors.log-in') }, 401),
      ),
    );
    app.post('/logout', (c) => {
      access.logOut(c);
      return c.redirect('./', 303);
    });
  }

  const knowMember: MiddlewareHandler<WebEnv> = async (c, next) => {
    const known = heldSecret(c);
    const secret = known ?? newSecret();
    if (secret !== known) setOwnCookie(c, MEMBER_COOKIE, secret);
    // A worker's connection may ask for another language than the page that it is for.
    const ofPage = CONNECTIONS.includes(c.req.path) ? presence.members.localeOf(secret) : undefined;
    c.set('member', await presence.members.know(secret, ofPage ?? wantedLocale(c)));
    await next();
  };
  // Nowhere else: what other programs look up in passing makes nobody.
  app.on('GET', '/events', knowMember);
  app.on('POST', '/api/*', knowMember);
  // Nobody records but on a page, which has its cookie already.
  app.get(DICTATION_PATH, (c, next) => {
    if (heldSecret(c) === undefined) throw new AppError('forbidden', 'a recording without a page');
    return knowMember(c, next);
  });
  // Somebody who follows another site's link does not show the cookie here, but may have one.
  app.get('/', (c, next) => (isFromElsewhere(c) ? next() : knowMember(c, next)));

  app.get('/', etag(), (c) => {
    const locale = localeOf(c);
    // Not set for somebody who follows another site's link.
    const member = c.get('member') as Profile | undefined;
    const boot = {
      locale,
      memberId: member?.id ?? '',
      texts: pageTexts(core.texts, locale),
      commands: core.commands(locale, PLATFORM),
      elsewhere: core.elsewhere(PLATFORM),
      maxUploadBytes,
      maxTextBytes: WEB_LIMITS.textBytes,
      canLogOut: token !== undefined,
      canInstall: core.models !== undefined && isOperator(c),
    };
    return showPage(c, pageShell(boot, assets));
  });
  app.get(DICTATION_PATH, createDictationHandler(presence.dictations, core.log));
  const { models } = core;
  if (models) app.route('/', createModelRoutes(models, isOperator));
  app.route('/', createApiRoutes({ core, presence, status: deps.status, localeOf }));
  // Anything not served is an error of the caller's, in the caller's language.
  app.all('*', () => {
    throw new AppError('not-found', 'no such address');
  });
  return app;
};
