import { charAfter, charBefore, isSpacedLetter } from './unicode.ts';

const mark = /^\p{M}/u;
/** Punctuation and spaces at the end: recognisers put a full stop wherever the audio breaks off. */
const uncertainEnd = /[\p{P}\p{Z}\s]+$/u;

/** True when `at` is within a word, or between a letter and its marks. */
const splits = (text: string, at: number): boolean => {
  const before = charBefore(text, at);
  const after = charAfter(text, at);
  return mark.test(after) || (isSpacedLetter(before) && isSpacedLetter(after));
};

/** The beginning that two texts share, in whole words, or characters where they need no spaces. */
export const agreedStart = (a: string, b: string): string => {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  // Neither half of a pair of surrogates stands alone.
  if ((a.charCodeAt(at - 1) & 0xfc00) === 0xd800) at -= 1;
  while (at > 0 && (splits(a, at) || splits(b, at))) at -= charBefore(a, at).length;
  return a.slice(0, at).replace(uncertainEnd, '');
};

/** Creates a local agreement: text on which two successive recognitions agree is certain. */
export const createLocalAgreement = () => {
  let certain = '';
  let before: string | undefined;
  return {
    /** Takes the text of the next recognition; returns all certain text, which never shrinks. */
    add: (text: string): string => {
      const agreed = before === undefined ? '' : agreedStart(before, text);
      before = text;
      if (agreed.startsWith(certain)) certain = agreed;
      return certain;
    },
  };
};

/** Scripts without spaces between words. */
const UNSPACED = /[\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}]$/u;

/** Joins recognised texts in their order, with a space where the script before it has spaces. */
export const joinTexts = (texts: readonly string[]): string =>
  texts
    .filter((text) => text !== '')
    .reduce((all, text) => (all === '' || UNSPACED.test(all) ? all + text : `${all} ${text}`), '');
