import type { GlossaryTerm, ImportReport } from '../model/glossary.ts';

export const TERM_CHARS = 200;
/** Entries of one space or channel: what a term base of a large company holds. */
export const TERMS_PER_PLACE = 20_000;

export type Fault = ImportReport['rejected'][number]['reason'];

/** Finds what prevents an entry from being stored. */
export const faultOf = ({ term, translation = '' }: GlossaryTerm): Fault | undefined => {
  if (term === '') return 'empty';
  return term.length > TERM_CHARS || translation.length > TERM_CHARS ? 'too-long' : undefined;
};

/** The entry as it is stored. */
export const tidyTerm = ({ term, language, translation }: GlossaryTerm): GlossaryTerm => ({
  term: term.trim().toWellFormed(),
  language,
  translation: translation?.trim().toWellFormed() || undefined,
});
