import { charAfter, charBefore, isSpacedLetter } from '../../text/letters.ts';

/** Local agreement: of what is recognised again and again, only what two runs agree on is sure. */
export interface LocalAgreement {
  /** Takes the text of the next run; the result is all that is sure by now, and only ever grows. */
  add(text: string): string;
}

const mark = /^\p{M}/u;
/** Recognisers end what they have heard so far with a full stop, wherever it breaks off. */
const unsureEnd = /[\p{P}\p{Z}\s]+$/u;

/** Whether `at` is within a word, or between a letter and its marks. */
const splits = (text: string, at: number): boolean => {
  const before = charBefore(text, at);
  const after = charAfter(text, at);
  return mark.test(after) || (isSpacedLetter(before) && isSpacedLetter(after));
};

/** What both begin with, in whole words; of scripts without spaces, in whole signs. */
export const agreedStart = (a: string, b: string): string => {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at += 1;
  // Neither half of a pair of surrogates stands alone.
  if ((a.charCodeAt(at - 1) & 0xfc00) === 0xd800) at -= 1;
  while (at > 0 && (splits(a, at) || splits(b, at))) at -= charBefore(a, at).length;
  return a.slice(0, at).replace(unsureEnd, '');
};

export const createLocalAgreement = (): LocalAgreement => {
  let sure = '';
  let before: string | undefined;
  return {
    add: (text) => {
      const agreed = before === undefined ? '' : agreedStart(before, text);
      before = text;
      if (agreed.startsWith(sure)) sure = agreed;
      return sure;
    },
  };
};
