import { charAfter, charBefore, isHangul, isSpacedLetter } from '../unicode.ts';

export interface Term {
  readonly term: string;
  /** The required translation; undefined: the term stays as written. */
  readonly translation?: string | undefined;
}

interface Extent {
  readonly start: number;
  readonly end: number;
}

/** The place of a term, in UTF-16 offsets. */
export interface TermSpan extends Extent {
  readonly kind: 'term';
  /** The required translation; undefined: the term stays as written. */
  readonly replacement: string | undefined;
}

/** Folds case without changing offsets: the few letters that would grow are kept. */
const fold = (text: string): string => {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return text.replaceAll(/\p{Lu}/gu, (char) => {
    const small = char.toLowerCase();
    return small.length === char.length ? small : char;
  });
};

const isWhole = (text: string, start: number, end: number): boolean => {
  if (isSpacedLetter(charAfter(text, start)) && isSpacedLetter(charBefore(text, start)))
    return false;
  const last = charBefore(text, end);
  if (!isSpacedLetter(last)) return true;
  const next = charAfter(text, end);
  return !isSpacedLetter(next) || isHangul(last) !== isHangul(next) || isHangul(last);
};

/** Removes overlaps: the leftmost term is kept, then the longest, then the first in the list. */
const withoutOverlaps = (found: readonly TermSpan[]): readonly TermSpan[] => {
  if (found.length < 2) return found;
  let from = 0;
  return found
    .toSorted((a, b) => a.start - b.start || b.end - a.end)
    .filter((span) => {
      if (span.start < from) return false;
      from = span.end;
      return true;
    });
};

/**
 * Finds the glossary's terms in a text: the longest first, ignoring case; whole words in scripts
 * that put spaces between words, anywhere in the others. Most terms are not in most texts, so a
 * plain search for each is faster than building an index of them.
 */
export const findTerms = (text: string, terms: readonly Term[]): readonly TermSpan[] => {
  if (terms.length === 0) return [];
  const folded = fold(text);
  const found: TermSpan[] = [];
  for (const { term, translation } of terms) {
    const wanted = fold(term.trim());
    if (wanted === '') continue;
    for (let at = folded.indexOf(wanted); at >= 0; at = folded.indexOf(wanted, at + 1)) {
      const end = at + wanted.length;
      if (isWhole(text, at, end))
        found.push({ start: at, end, kind: 'term', replacement: translation });
    }
  }
  return withoutOverlaps(found);
};

/**
 * Merges terms and spans into one ordered list without overlaps: a term gives way to a span, unless
 * the span lies within it.
 */
export const mergeTerms = <Each extends Extent>(
  spans: readonly Each[],
  terms: readonly TermSpan[],
): readonly (Each | TermSpan)[] => {
  if (terms.length === 0) return spans;
  const merged: (Each | TermSpan)[] = [];
  let next = 0;
  for (const term of terms) {
    let span = spans[next];
    for (; span && span.end <= term.start; span = spans[next]) {
      merged.push(span);
      next += 1;
    }
    const first = next;
    while (span && span.start >= term.start && span.end <= term.end) {
      next += 1;
      span = spans[next];
    }
    if (span && span.start < term.end) next = first;
    else merged.push(term);
  }
  for (; next < spans.length; next += 1) merged.push(spans[next] as Each);
  return merged;
};
