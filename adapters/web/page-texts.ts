import type { Texts } from '../../src/i18n.ts';

/** Gives every placeholder itself as its value, so that the page can put values in on its own. */
const placeholders = new Proxy<Record<string, string>>(
  {},
  { has: () => true, get: (_, name) => `{${String(name)}}` },
);

/** The page's sentences in one locale, by key; `{name}` stands where a value goes. */
export const pageTexts = (texts: Texts, locale: string): Record<string, string> => {
  const t = texts.in(locale);
  return Object.fromEntries(texts.under('web.').map((key) => [key, t(key, placeholders)]));
};
