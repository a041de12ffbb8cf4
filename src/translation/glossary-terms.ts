import type { GlossaryTerm } from '../model/glossary.ts';
import { findOccurrences } from '../text/protect/terms.ts';
import { sameLanguage } from '../text/language/languages.ts';
import { foldText } from '../text/terms/fold.ts';
import { isStem } from '../text/terms/term-index.ts';

export const EVERY_LANGUAGE = '';

/** The spelling under which a term is stored, the same for all in which it is found alike. */
export const foldTerm = (term: string): string => foldText(term).text;

/** An entry's term and language: of two entries with the same, the newer replaces the older. */
export const idOf = (term: GlossaryTerm): string =>
  `${term.language ?? EVERY_LANGUAGE} ${foldTerm(term.term)}`;

/** The entries that apply to translations into one language. */
export interface TermsOfTarget {
  /** Entries with a translation. */
  readonly forced: readonly GlossaryTerm[];
  /** Entries that must stay as they are. */
  readonly kept: readonly GlossaryTerm[];
}

/** Selects the entries for one target: those of its language before those of every language. */
export const termsFor = (list: readonly GlossaryTerm[], to: string): TermsOfTarget => {
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

/**
 * Finds which of a few entries occur in a text, in their order. The forms of a stem are the words
 * as they stand in the text, that of any other entry is its term.
 */
export const formsIn = (
  text: string,
  entries: readonly GlossaryTerm[],
): ReadonlyMap<GlossaryTerm, ReadonlySet<string>> => {
  const forms = new Map(entries.map((entry) => [entry, new Set<string>()]));
  for (const { start, end, term: entry } of findOccurrences(text, entries))
    forms.get(entry)?.add(isStem(entry.term) ? text.slice(start, end) : entry.term);
  return new Map([...forms].filter(([, found]) => found.size > 0));
};
