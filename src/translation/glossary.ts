import type { GlossaryTerm, ImportReport, Glossary } from '../model/glossary.ts';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Languages } from '../text/language/languages.ts';
import { createCache } from '../async/cache.ts';
import type { Store } from '../store/index.ts';
import { readColumns } from './glossary-columns.ts';
import { readGlossaryCsv, writeGlossaryCsv } from './glossary-csv.ts';
import { foldTerm } from './terms.ts';

export const TERM_CHARS = 200;
export const TERMS_PER_SPACE = 2_000;
/** Spaces and channels whose terms are held; most have none. */
const PLACES_IN_MEMORY = 1_000;
/** Lines of one file that are told to have been left out. */
const REJECTED_TOLD = 20;
/** Rows of one statement; the event loop runs between two. */
const ROWS_AT_ONCE = 100;
/** Entries of a file after which others get their turn. */
const ENTRIES_AT_ONCE = 500;

const EVERY_LANGUAGE = '';

type Fault = ImportReport['rejected'][number]['reason'];

const faultOf = (term: GlossaryTerm): Fault | undefined => {
  if (term.term.trim() === '') return 'empty';
  if (term.term.length > TERM_CHARS || (term.translation?.length ?? 0) > TERM_CHARS)
    return 'too-long';
  return undefined;
};

const tidy = (term: GlossaryTerm): GlossaryTerm => ({
  term: term.term.trim().toWellFormed(),
  language: term.language,
  translation: term.translation?.trim().toWellFormed() || undefined,
});

const idOf = (term: GlossaryTerm): string =>
  `${term.language ?? EVERY_LANGUAGE} ${foldTerm(term.term)}`;

/** Whose entries: a space, or one channel of it. */
interface Owner {
  readonly platform: string;
  readonly space_id: string;
}

const ownerOf = (place: Space | Channel): Owner =>
  'space' in place
    ? {
        platform: place.space.platform,
        space_id: `${place.space.id}/${place.parentId ?? place.id}`,
      }
    : { platform: place.platform, space_id: place.id };

const placeKey = (place: Space | Channel): string => JSON.stringify(ownerOf(place));

export const createGlossary = (store: Store, languages: Pick<Languages, 'find'>): Glossary => {
  const fetchList = async (place: Space | Channel): Promise<readonly GlossaryTerm[]> => {
    const rows = await store
      .selectFrom('glossary_term')
      .select(['term', 'language', 'translation'])
      .where((eb) => eb.and({ ...ownerOf(place) }))
      .orderBy('term_key')
      .orderBy('language')
      .execute();
    return rows.map(({ term, language, translation }) => ({
      term,
      language: language === EVERY_LANGUAGE ? undefined : language,
      translation: translation ?? undefined,
    }));
  };
  const memo = createCache(fetchList, { keyOf: placeKey, most: PLACES_IN_MEMORY });
  store.signals.subscribe('glossary', memo.forget);
  const list = memo.of;

  const write = <Result>(
    place: Space | Channel,
    change: Parameters<typeof store.write<Result>>[0],
  ): Promise<Result> =>
    store.write(async (transaction) => {
      const result = await change(transaction);
      await store.signals.publish(transaction, 'glossary', place);
      return result;
    });

  const put = async (place: Space | Channel, terms: readonly GlossaryTerm[]): Promise<void> => {
    const row = (term: GlossaryTerm) => ({
      ...ownerOf(place),
      term_key: foldTerm(term.term),
      language: term.language ?? EVERY_LANGUAGE,
      term: term.term,
      translation: term.translation ?? null,
    });
    await write(place, async (transaction) => {
      for (let from = 0; from < terms.length; from += ROWS_AT_ONCE) {
        await transaction
          .insertInto('glossary_term')
          .values(terms.slice(from, from + ROWS_AT_ONCE).map(row))
          .onConflict((conflict) =>
            conflict
              .columns(['platform', 'space_id', 'term_key', 'language'])
              .doUpdateSet((excluded) => ({
                term: excluded.ref('excluded.term'),
                translation: excluded.ref('excluded.translation'),
              })),
          )
          .execute();
        await setImmediate();
      }
    });
  };

  /** Lists of channels and spaces put together, by the first and then the second. */
  const joined = new WeakMap<
    readonly GlossaryTerm[],
    { readonly ofSpace: readonly GlossaryTerm[]; readonly all: readonly GlossaryTerm[] }
  >();

  return {
    list,

    async applying(place) {
      if (!('space' in place)) return list(place);
      const [own, ofSpace] = await Promise.all([list(place), list(place.space)]);
      if (own.length === 0) return ofSpace;
      const known = joined.get(own);
      if (known?.ofSpace === ofSpace) return known.all;
      const ids = new Set(own.map(idOf));
      const all = [...own, ...ofSpace.filter((term) => !ids.has(idOf(term)))];
      joined.set(own, { ofSpace, all });
      return all;
    },

    async add(place, given) {
      const term = tidy(given);
      const fault = faultOf(term);
      if (fault)
        throw new AppError('bad-input', `the glossary term is ${fault}`, {
          sentence: { key: 'glossary.bad-term', params: { limit: TERM_CHARS } },
        });
      const known = await list(place);
      if (known.length >= TERMS_PER_SPACE && !known.some((other) => idOf(other) === idOf(term)))
        throw new AppError('too-large', 'the glossary is full', {
          sentence: { key: 'glossary.full', params: { limit: TERMS_PER_SPACE } },
        });
      await put(place, [term]);
    },

    async remove(place, term, language) {
      const { numDeletedRows } = await write(place, async (transaction) => {
        const all = transaction
          .deleteFrom('glossary_term')
          .where((eb) => eb.and({ ...ownerOf(place) }))
          .where('term_key', '=', foldTerm(term.trim()));
        const query = language === undefined ? all : all.where('language', '=', language);
        return query.executeTakeFirstOrThrow();
      });
      return Number(numDeletedRows);
    },

    async importCsv(place, file, signal, to) {
      const known = new Set((await list(place)).map(idOf));
      const before = new Set(known);
      const accepted = new Map<string, GlossaryTerm>();
      const rejected: { line: number; reason: Fault }[] = [];
      let rejectedCount = 0;
      let read = 0;
      const { entries, assumed } = readColumns(await readGlossaryCsv(file, signal), languages, to);
      for (const { line, term, language: typed, translation } of entries) {
        read += 1;
        if (read % ENTRIES_AT_ONCE === 0) await setImmediate();
        const language = typed === '' ? undefined : languages.find(typed);
        const entry = tidy({ term, language, translation });
        const reason: Fault | undefined =
          typed !== '' && language === undefined ? 'unknown-language' : faultOf(entry);
        const full = known.size >= TERMS_PER_SPACE && !known.has(idOf(entry));
        if (reason || full) {
          rejectedCount += 1;
          if (rejected.length < REJECTED_TOLD) rejected.push({ line, reason: reason ?? 'limit' });
          continue;
        }
        known.add(idOf(entry));
        accepted.set(idOf(entry), entry);
      }
      await put(place, [...accepted.values()]);
      const changed = [...accepted.keys()].filter((id) => before.has(id)).length;
      return {
        added: accepted.size - changed,
        changed,
        rejectedCount,
        rejected,
        assumed,
      };
    },

    exportCsv: async (place) => writeGlossaryCsv(await list(place)),
  };
};
