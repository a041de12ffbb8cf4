/** Tokens that must stay as they are, such as `⟦1⟧`. */
const TOKEN = /⟦\d{1,9}⟧/g;

/** An element whose content the library copies and does not translate. */
const KEPT = /<var>(⟦\d{1,9}⟧)<\/var>/g;

export const hasTokens = (text: string): boolean => text.search(TOKEN) >= 0;

/** Converts a text with tokens to HTML, which the library keeps them through. */
export const tokensToHtml = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replace(TOKEN, (token) => `<var>${token}</var>`);

export const htmlToTokens = (markup: string): string =>
  markup
    .replace(KEPT, '$1')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const sorted = (text: string): string => (text.match(TOKEN) ?? []).toSorted().join('');

/** True when the translation has each token of the source as often. */
export const keepsTokens = (source: string, translated: string): boolean =>
  sorted(source) === sorted(translated);

/** Splits a text before and after each token. */
export const splitAtTokens = (text: string): readonly string[] =>
  text.split(/(⟦\d{1,9}⟧)/).filter((part) => part !== '');
