import { bestCut, splitsPair } from './cut.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from '../protect/read-tokens.ts';
import { countCodePoints } from '../unicode.ts';

export { splitSentences } from './cut.ts';

export type Measure = (text: string) => number;

/** Longest token of `protect`. */
const TOKEN_UNITS = 12;

/** The end of the longest piece from `start` that is within the limit; at least one code point. */
const longestEnd = (
  text: string,
  start: number,
  limit: number,
  measure: Measure,
  guess: number,
): number => {
  const fits = (end: number): boolean => measure(text.slice(start, end)) <= limit;
  let step = Math.max(1, guess);
  let fitting = start;
  let over = text.length + 1;
  while (over > text.length) {
    const end = Math.min(text.length, start + step);
    if (!fits(end)) over = end;
    else if (end === text.length) return end;
    else fitting = end;
    step *= 2;
  }
  while (over - fitting > 1) {
    const middle = (fitting + over) >> 1;
    if (fits(middle)) fitting = middle;
    else over = middle;
  }
  if (splitsPair(text, fitting)) fitting -= 1;
  return fitting > start
    ? fitting
    : start + String.fromCodePoint(text.codePointAt(start) ?? 0).length;
};

/** The nearest place to cut that is not inside a token. */
const outsideToken = (text: string, start: number, cut: number): number => {
  const from = Math.max(start, cut - TOKEN_UNITS);
  const before = text.slice(from, cut);
  const open = before.lastIndexOf(TOKEN_OPEN);
  return open < 0 || before.includes(TOKEN_CLOSE, open) || from + open === start
    ? cut
    : from + open;
};

/**
 * Yields the pieces of `splitText`: each step takes time by the limit, not by the text, so a caller
 * with a long text can let other work run in between.
 */
export const piecesOf = function* (
  text: string,
  limit: number,
  measure: Measure = countCodePoints,
): Generator<string, void, void> {
  let start = 0;
  let guess = limit;
  while (start < text.length) {
    const end = longestEnd(text, start, limit, measure, guess);
    const cut = end === text.length ? end : outsideToken(text, start, bestCut(text, start, end));
    yield text.slice(start, cut);
    guess = end - start;
    start = cut;
  }
};

/**
 * Cuts a text into pieces of at most `limit`, at the ends of paragraphs, sentences, clauses, words
 * or graphemes, whichever comes first in this order after the first third of the longest piece.
 * Joined, the pieces are the text. A single code point is never cut, whatever it measures.
 *
 * @param measure must not shrink when a text grows; default: Unicode code points
 */
export const splitText = (
  text: string,
  limit: number,
  measure: Measure = countCodePoints,
): string[] => [...piecesOf(text, limit, measure)];
