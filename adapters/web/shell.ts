import { html, raw } from 'hono/html';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { Texts, Translate } from '../../src/i18n/texts.ts';
import { type Assets, IMPORT_MAP } from './assets.ts';
import type { Boot } from './protocol.ts';

/** Allows nothing but what this server sends; no inline script or style but the import map. */
export const CONTENT_SECURITY_POLICY = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'", `'sha256-${IMPORT_MAP.sha256}'`],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'blob:'],
  mediaSrc: ["'self'", 'blob:'],
  workerSrc: ["'self'"],
  connectSrc: ["'self'", 'blob:'],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ['lit-html', 'dragoman'],
};

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

const document = (locale: string, head: Html, body: Html): Html =>
  html`<!doctype html>
    <html lang="${locale}">
      <head>
        <meta charset="utf-8" />
        <meta
          name="viewport"
          content="width=device-width, initial-scale=1, interactive-widget=resizes-content"
        />
        <meta name="color-scheme" content="light dark" />
        <title>Dragoman</title>
        <link rel="icon" href="page/icon.svg" type="image/svg+xml" />
        ${head}
      </head>
      ${body}
    </html>`;

const sheet = (path: string): Html => html`<link rel="stylesheet" href="${path}" />`;

/** Writes JSON that cannot end the data block around it. */
const inScript = (value: unknown): string => JSON.stringify(value).replaceAll('<', '\\u003c');

export const pageShell = (boot: Boot, { modules, styles }: Assets): Html =>
  document(
    boot.locale,
    // The import map is allowed by its hash: no formatter may touch what stands around it.
    html`${styles.map(sheet)} ${raw(`<script type="importmap">${IMPORT_MAP.json}</script>`)}
      ${modules.map((path) => html`<link rel="modulepreload" href="${path}" />`)}
      ${raw(`<script type="application/json" id="boot">${inScript(boot)}</script>`)}
      <script type="module" src="page/main.ts"></script>`,
    html`<body></body>`,
  );

/** Asks for the token; works without scripts. */
export const loginShell = (
  locale: string,
  t: Translate,
  styles: readonly string[],
  fault?: string,
): Html =>
  document(
    locale,
    html`${styles.map(sheet)}`,
    html`<body class="login">
      <main>
        <form method="post" action="login" class="login-card">
          <img src="page/icon.svg" alt="" width="56" height="56" />
          <h1>Dragoman</h1>
          <p>${t('web.login.intro')}</p>
          <label for="token">${t('web.login.token')}</label>
          <input
            id="token"
            name="token"
            type="password"
            required
            autofocus
            autocomplete="current-password"
            ${fault ? raw('aria-invalid="true" aria-describedby="fault"') : ''}
          />
          ${fault ? html`<p id="fault" class="fault" role="alert">${fault}</p>` : ''}
          <button type="submit">${t('web.login.enter')}</button>
        </form>
      </main>
    </body>`,
  );

/** The page's sentences in one locale, by key; `{name}` stands where a value goes. */
export const pageTexts = (texts: Texts, locale: string): Record<string, string> => {
  const template = texts.templates(locale);
  const keys = [...texts.under('web.'), ...texts.under('line.')];
  return Object.fromEntries(keys.map((key) => [key, template(key)]));
};
