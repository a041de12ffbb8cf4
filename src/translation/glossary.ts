import type { Glossary, GlossaryTerm } from '../model/glossary.ts';
import { AppError } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Languages } from '../text/language/languages.ts';
import type { Store } from '../store/index.ts';
import { importTerms } from './glossary-import.ts';
import { idOf } from './glossary-terms.ts';
import { createGlossaryLists } from './glossary-lists.ts';
import { countTerms, putTerms, removeTerm, storedTerms } from './glossary-rows.ts';
import { faultOf, TERM_CHARS, TERMS_PER_PLACE, tidyTerm } from './glossary-limits.ts';
import { writeGlossaryCsv } from './glossary-csv.ts';

const checked = (given: GlossaryTerm): GlossaryTerm => {
  const term = tidyTerm(given);
  const fault = faultOf(term);
  if (!fault) return term;
  throw new AppError('bad-input', `the glossary term is ${fault}`, {
    sentence: { key: 'glossary.bad-term', params: { limit: TERM_CHARS } },
  });
};

export const createGlossary = (store: Store, languages: Pick<Languages, 'find'>): Glossary => {
  const lists = createGlossaryLists(store);

  const write = <Result>(
    place: Space | Channel,
    change: Parameters<typeof store.write<Result>>[0],
  ): Promise<Result> =>
    store.write(async (transaction) => {
      const result = await change(transaction);
      await store.signals.publish(transaction, 'glossary', place);
      return result;
    });

  return {
    list: lists.of,
    applying: lists.applying,
    inText: lists.inText,

    async add(place, given) {
      const term = checked(given);
      return write(place, async (db) => {
        const replaced = (await storedTerms(db, place, [term])).get(idOf(term));
        if (!replaced && (await countTerms(db, place)) >= TERMS_PER_PLACE)
          throw new AppError('too-large', 'the glossary is full', {
            sentence: { key: 'glossary.full', params: { limit: TERMS_PER_PLACE } },
          });
        await putTerms(db, place, [term]);
        return replaced;
      });
    },

    remove: (place, term, language) => write(place, (db) => removeTerm(db, place, term, language)),

    importCsv: (place, file, signal, to) =>
      importTerms({ place, file, to, languages, write: (change) => write(place, change) }, signal),

    exportCsv: async (place) => writeGlossaryCsv(await lists.of(place)),
  };
};
