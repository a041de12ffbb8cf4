import { TOKEN_CLOSE, TOKEN_OPEN } from '../protect/read-tokens.ts';
import { countCodePoints } from '../unicode.ts';
import { splitSentences } from './sentences.ts';

const words = new Intl.Segmenter(undefined, { granularity: 'word' });
const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Distance from the longest possible end within which the end of a word or grapheme is searched. */
const TAIL_UNITS = 200;

const sentenceEnd = /(?:[.!?。！？…।؟]['"”’\p{Pe}\p{Pf}]*\s*|\n)$/u;
/** True for a text that ends with a sentence or a line. */
export const endsSentence = (text: string): boolean => sentenceEnd.test(text);

const clauseEnd = /(?:[，、；：،؛]|[,;:)](?=\s))\s*/gu;
const itemOrHeading = /^[ \t]*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|-#)[ \t]/;

/** True when a cut here would separate a surrogate pair. */
export const splitsPair = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;

const lastParagraphEnd = (text: string, from: number, end: number): number => {
  const blank = text.slice(from, end).lastIndexOf('\n\n');
  return blank < 0 ? -1 : from + blank + 2;
};

/** The start of the list item or heading that would be cut: it is better kept whole. */
const lastItemEnd = (text: string, from: number, end: number): number => {
  const shown = text.slice(from, end);
  const line = shown.lastIndexOf('\n') + 1;
  return line > 0 && itemOrHeading.test(shown.slice(line, line + 20)) ? from + line : -1;
};

const lastSentenceEnd = (text: string, from: number, end: number): number => {
  let cut = -1;
  let at = from;
  for (const sentence of splitSentences(text.slice(from, end))) {
    at += sentence.length;
    if (at < end || endsSentence(sentence)) cut = at;
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
  // Two units beyond the piece show if its end is a boundary.
  const shown = text.slice(tail, end + 2);
  let cut = -1;
  for (const { index } of segmenter.segment(shown))
    if (index > 0 && tail + index <= end) cut = tail + index;
  return cut;
};

/** The last end of a grapheme after `from` and up to `end`; -1 where there is none. */
export const lastGraphemeEnd = (text: string, from: number, end: number): number => {
  const cut = lastSegmentEnd(graphemes, text, from, end);
  return cut > from ? cut : -1;
};

/**
 * The best place to cut a piece that begins at `start` and may reach to `end`: the last end of a
 * paragraph, list item, sentence, clause or word after its first third, in this order of
 * preference; otherwise of a grapheme.
 */
export const bestCut = (text: string, start: number, end: number): number => {
  // An earlier end would leave pieces much smaller than they may be.
  const least = start + Math.trunc((end - start) / 3);
  const candidates = [
    () => lastParagraphEnd(text, least, end),
    () => lastItemEnd(text, least, end),
    () => lastSentenceEnd(text, least, end),
    () => lastClauseEnd(text, least, end),
    () => lastSpaceEnd(text, least, end),
    () => lastSegmentEnd(words, text, start, end),
    () => lastGraphemeEnd(text, start, end),
  ];
  for (const candidate of candidates) {
    const cut = candidate();
    if (cut > start) return cut;
  }
  return end;
};

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
): string[] => {
  const pieces: string[] = [];
  let start = 0;
  let guess = limit;
  while (start < text.length) {
    const end = longestEnd(text, start, limit, measure, guess);
    const cut = end === text.length ? end : outsideToken(text, start, bestCut(text, start, end));
    pieces.push(text.slice(start, cut));
    guess = end - start;
    start = cut;
  }
  return pieces;
};
