import type { GlossaryTerm } from '../model/glossary.ts';
import { sameLanguage } from '../text/language/languages.ts';
import { findTerms } from '../text/protect/terms.ts';

/** The entries that apply to translations into one language. */
export interface TermsOfTarget {
  /** Entries with a translation. */
  readonly forced: readonly GlossaryTerm[];
  /** Entries that must stay as they are. */
  readonly kept: readonly GlossaryTerm[];
}

/** Folds a term, so that all its spellings become the same. */
export const foldTerm = (term: string): string => term.normalize('NFKC').toLowerCase();

const select = (list: readonly GlossaryTerm[], to: string): TermsOfTarget => {
  const byTerm = new Map<string, GlossaryTerm>();
  for (const entry of list) {
    const key = foldTerm(entry.term);
    if (entry.language === undefined) {
      if (!byTerm.has(key)) byTerm.set(key, entry);
    } else if (sameLanguage(entry.language, to)) byTerm.set(key, entry);
  }
  const entries = [...byTerm.values()];
  return {
    forced: entries.filter(({ translation }) => translation !== undefined),
    kept: entries.filter(({ translation }) => translation === undefined),
  };
};

const selected = new WeakMap<readonly GlossaryTerm[], Map<string, TermsOfTarget>>();

/**
 * Selects a glossary's entries for one target: those of its language before those of every
 * language. Cached for each list, which is replaced when the glossary changes.
 */
export const termsFor = (list: readonly GlossaryTerm[], to: string): TermsOfTarget => {
  const targets = selected.get(list) ?? new Map<string, TermsOfTarget>();
  selected.set(list, targets);
  const known = targets.get(to) ?? select(list, to);
  targets.set(to, known);
  return known;
};

/** Finds the terms that occur in the text as whole words, keyed by their folded spelling. */
export const termsIn = (
  text: string,
  terms: Iterable<GlossaryTerm>,
): ReadonlyMap<string, GlossaryTerm> => {
  const all = [...terms];
  const found = new Set(
    findTerms(text, all).map(({ start, end }) => foldTerm(text.slice(start, end))),
  );
  return new Map(
    all.map((entry) => [foldTerm(entry.term), entry] as const).filter(([key]) => found.has(key)),
  );
};
