import { charAfter, isLetter, isSpacedLetter } from '../unicode.ts';
import { buildAutomaton, searchEach } from './automaton.ts';
import { foldText } from './fold.ts';
import { WholeWords } from './whole-words.ts';

/** A place where a term stands in a text, in UTF-16 offsets. */
export interface Occurrence<Term> {
  readonly start: number;
  readonly end: number;
  readonly term: Term;
}

/** Terms prepared for being found in texts. */
export interface TermIndex<Term> {
  /** Number of states of its automaton, by which its memory grows (see `Automaton`). */
  readonly states: number;
  /**
   * Finds the terms that occur in a text as whole words, with those that overlap, in any order.
   * Case, width, composition and the form of apostrophes do not count. A single character of a
   * script without spaces is not found within a longer term, whole word or not: names that no
   * dictionary has are taken apart into characters.
   */
  readonly find: (text: string) => readonly Occurrence<Term>[];
}

const stem = /[\p{L}\p{M}]\*$/u;

/** True for a term such as `dragon*`, which stands for each word that begins so. */
export const isStem = (term: string): boolean => stem.test(term);

/** The word or phrase of a term, without the mark of a stem. */
export const wordsOfTerm = (term: string): string => (isStem(term) ? term.slice(0, -1) : term);

interface Entry<Term> {
  readonly term: Term;
  readonly isStem: boolean;
}

/** True for a single character of a script without spaces, which most longer words contain. */
const isSingle = (pattern: string): boolean =>
  charAfter(pattern, 0) === pattern && isLetter(pattern) && !isSpacedLetter(pattern);

/** A place of a pattern in a folded text, whole word or not. */
interface Hit {
  readonly pattern: number;
  readonly from: number;
  readonly end: number;
}

/** The hits without those of single characters that stand in a longer pattern. */
const withoutCovered = (hits: readonly Hit[], singles: ReadonlySet<number>): readonly Hit[] => {
  let covered = 0;
  return hits
    .toSorted((a, b) => a.from - b.from || b.end - a.end)
    .filter(({ pattern, from, end }) => {
      if (singles.has(pattern)) return covered <= from;
      covered = Math.max(covered, end);
      return true;
    });
};

/** Number of patterns up to which each is searched for: a text seldom holds more of a glossary. */
const FEW_PATTERNS = 8;
/** Terms that are prepared at once; the event loop can run between two steps. */
const TERMS_AT_ONCE = 500;

/** Builds an index step by step, each of which takes about a millisecond. */
export const buildTermIndex = function* <Term extends { readonly term: string }>(
  terms: readonly Term[],
): Generator<void, TermIndex<Term>, void> {
  const byPattern = new Map<string, Entry<Term>[]>();
  /** Numbers of patterns of a single character. */
  const singles = new Set<number>();
  for (const [index, term] of terms.entries()) {
    if (index % TERMS_AT_ONCE === TERMS_AT_ONCE - 1) yield;
    const written = term.term.trim();
    const pattern = foldText(wordsOfTerm(written)).text;
    if (pattern === '') continue;
    const entry: Entry<Term> = { term, isStem: isStem(written) };
    const known = byPattern.get(pattern);
    if (known) known.push(entry);
    else {
      if (isSingle(pattern)) singles.add(byPattern.size);
      byPattern.set(pattern, [entry]);
    }
  }
  yield;
  const patterns = [...byPattern.keys()];
  const entries = [...byPattern.values()];
  const automaton =
    patterns.length <= FEW_PATTERNS ? searchEach(patterns) : yield* buildAutomaton(patterns);
  return {
    states: automaton.states,
    find: (text) => {
      const folded = foldText(text);
      const hits: Hit[] = [];
      automaton.scan(folded.text, (pattern, end) => {
        hits.push({ pattern, from: end - (patterns[pattern] as string).length, end });
      });
      if (hits.length === 0) return [];
      const words = new WholeWords(folded.text);
      const found: Occurrence<Term>[] = [];
      for (const { pattern, from, end } of singles.size === 0
        ? hits
        : withoutCovered(hits, singles)) {
        const start = folded.sourceOf(from);
        const sourceEnd = folded.sourceOf(end);
        if (start < 0 || sourceEnd < 0 || !words.beginsAt(from)) continue;
        const isWhole = words.endsAt(end);
        for (const { term, isStem: isOpen } of entries[pattern] as Entry<Term>[]) {
          if (!isWhole && !isOpen) continue;
          const last = isWhole ? end : words.endFrom(end);
          found.push({ start, end: Math.max(sourceEnd, folded.sourceOf(last)), term });
        }
      }
      return found;
    },
  };
};

/** Builds the index of a few terms at once. */
export const indexTerms = <Term extends { readonly term: string }>(
  terms: readonly Term[],
): TermIndex<Term> => {
  const steps = buildTermIndex(terms);
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
};
