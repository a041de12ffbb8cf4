import { indexTerms, type Occurrence, type TermIndex } from '../terms/term-index.ts';

export interface Term {
  /** A word or phrase, or a stem such as `dragon*` (see `isStem`). */
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

/** Removes overlaps: the leftmost term is kept, then the longest, then the first in the list. */
const withoutOverlaps = <Each extends Term>(
  found: readonly Occurrence<Each>[],
): readonly Occurrence<Each>[] => {
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

const indexes = new WeakMap<readonly Term[], TermIndex<Term>>();

/** The index of a list, which is kept as long as the list. */
const indexOf = <Each extends Term>(terms: readonly Each[]): TermIndex<Each> => {
  const index = (indexes.get(terms) as TermIndex<Each> | undefined) ?? indexTerms(terms);
  indexes.set(terms, index);
  return index;
};

/** Finds a few terms in a text as whole words (see `TermIndex`), the longest first. */
export const findOccurrences = <Each extends Term>(
  text: string,
  terms: readonly Each[],
): readonly Occurrence<Each>[] =>
  terms.length === 0 ? [] : withoutOverlaps(indexOf(terms).find(text));

/** Makes spans of terms that were found in a text, in order and without overlaps. */
export const spansOf = (found: readonly Occurrence<Term>[]): readonly TermSpan[] =>
  withoutOverlaps(found).map(({ start, end, term: { translation } }) => ({
    start,
    end,
    kind: 'term',
    replacement: translation,
  }));

/** Finds the spans of a few terms, in order and without overlaps. */
export const findTerms = (text: string, terms: readonly Term[]): readonly TermSpan[] =>
  spansOf(findOccurrences(text, terms));

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
