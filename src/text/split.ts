import { sentencesOf } from './sentences.ts';
import { TOKEN_CLOSE, TOKEN_OPEN } from './span.ts';
import { countCodePoints } from './unicode.ts';

export { splitSentences } from './sentences.ts';

export type Measure = (text: string) => number;

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** How far back from the longest possible end a word or grapheme end is looked for. */
const TAIL_UNITS = 200;
/** No token that we make is longer. */
const TOKEN_UNITS = 12;

const sentenceEnd = /(?:[.!?。！？…।؟]['"”’\p{Pe}\p{Pf}]*\s*|\n)$/u;
const clauseEnd = /(?:[，、；：،؛]|[,;:)](?=\s))\s*/gu;

const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;

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

const lastSentenceEnd = (text: string, from: number, end: number): number => {
  let cut = -1;
  let at = from;
  for (const sentence of sentencesOf(text.slice(from, end))) {
    at += sentence.length;
    if (at < end || sentenceEnd.test(sentence)) cut = at;
  }
  return cut;
};

const lastClauseEnd = (text: string, from: number, end: number): number => {
  let cut = -1;
  for (const match of text.slice(from, end).matchAll(clauseEnd))
    cut = from + match.index + match[0].length;
  return cut;
};

const lastSpaceEnd = (text: string, from: number, end: number): number => {
  for (let cut = end; cut > from; cut -= 1) if (/\s/.test(text[cut - 1] ?? '')) return cut;
  return -1;
};

const lastSegmentEnd = (
  segmenter: Intl.Segmenter,
  text: string,
  from: number,
  end: number,
): number => {
  const tail = Math.max(from, end - TAIL_UNITS);
  // Two units more than the piece may have show whether its end is an end.
  const shown = text.slice(tail, end + 2);
  let cut = -1;
  for (const { index } of segmenter.segment(shown))
    if (index > 0 && tail + index <= end) cut = tail + index;
  return cut;
};

/** Never inside one of our tokens. */
const outsideToken = (text: string, start: number, cut: number): number => {
  const from = Math.max(start, cut - TOKEN_UNITS);
  const before = text.slice(from, cut);
  const open = before.lastIndexOf(TOKEN_OPEN);
  return open < 0 || before.includes(TOKEN_CLOSE, open) || from + open === start
    ? cut
    : from + open;
};

const bestCut = (text: string, start: number, end: number): number => {
  // An end before this would leave pieces much smaller than they may be.
  const least = start + Math.trunc((end - start) / 3);
  const paragraph = text.lastIndexOf('\n\n', end - 2) + 2;
  const candidates = [
    () => (paragraph > least && paragraph <= end ? paragraph : -1),
    () => lastSentenceEnd(text, least, end),
    () => lastClauseEnd(text, least, end),
    () => lastSpaceEnd(text, least, end),
    () => lastSegmentEnd(words, text, start, end),
    () => lastSegmentEnd(graphemes, text, start, end),
  ];
  for (const candidate of candidates) {
    const cut = candidate();
    if (cut > start) return outsideToken(text, start, cut);
  }
  return end;
};

/**
 * The pieces of `splitText` one by one: each step takes time by the limit, not by the text, so a
 * caller with a long text can let others run in between.
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
    const cut = end === text.length ? end : bestCut(text, start, end);
    yield text.slice(start, cut);
    guess = end - start;
    start = cut;
  }
};

/**
 * Cuts a text into pieces of at most `limit`, at the ends of paragraphs, sentences, clauses, words
 * or graphemes, whichever comes first in this order after the first third of what would fit.
 * Joined, the pieces are the text. A single code point is never cut, however large it measures.
 *
 * @param measure must not shrink when a text grows; default: Unicode code points.
 */
export const splitText = (
  text: string,
  limit: number,
  measure: Measure = countCodePoints,
): string[] => [...piecesOf(text, limit, measure)];
