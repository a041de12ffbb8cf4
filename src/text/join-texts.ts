/** Scripts without spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]$/u;

/** Joins recognised texts in their order, with a space where the script before it has spaces. */
export const joinTexts = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .reduce((all, text) => (all === '' || UNSPACED.test(all) ? all + text : `${all} ${text}`), '');
