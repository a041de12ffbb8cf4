import type { GlossaryTerm, ImportReport, Glossary } from '../model/glossary.ts';
import { setImmediate } from 'node:timers/promises';
import { AppError } from '../errors.ts';
import type { Channel, Space } from '../model/place.ts';
import { sameLanguage, type Languages } from '../text/language/languages.ts';
import { createCache } from '../async/lru.ts';
import type { Store } from '../store/index.ts';
import { readColumns } from './glossary-columns.ts';
import { readGlossaryCsv, writeGlossaryCsv } from './glossary-csv.ts';
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

export const TERM_CHARS = 200;
export const TERMS_PER_SPACE = 2_000;
/** Spaces and channels whose terms are cached; most have none. */
const PLACES_IN_MEMORY = 1_000;
/** Most rejected lines of one file that are reported. */
const MOST_REJECTED_LISTED = 20;
/** Rows of one statement; the event loop runs between two statements. */
const ROWS_AT_ONCE = 100;
/** Entries of a file after which the event loop runs. */
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

type Db = Parameters<Parameters<Store['write']>[0]>[0];

const placeKey = (place: Space | Channel): string => JSON.stringify(ownerOf(place));

const put = async (
  db: Db,
  place: Space | Channel,
  terms: readonly GlossaryTerm[],
): Promise<void> => {
  const row = (term: GlossaryTerm) => ({
    ...ownerOf(place),
    term_key: foldTerm(term.term),
    language: term.language ?? EVERY_LANGUAGE,
    term: term.term,
    translation: term.translation ?? null,
  });
  for (let from = 0; from < terms.length; from += ROWS_AT_ONCE) {
    await db
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
};

export const createGlossary = (store: Store, languages: Pick<Languages, 'find'>): Glossary => {
  const fetchList = async (
    place: Space | Channel,
    db: Pick<Db, 'selectFrom'> = store,
  ): Promise<readonly GlossaryTerm[]> => {
    const rows = await db
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
  const memo = createCache((place: Space | Channel) => fetchList(place), {
    keyOf: placeKey,
    most: PLACES_IN_MEMORY,
  });
  store.signals.subscribe('glossary', memo.forget);
  const list = memo.of;
  const idsOf = async (place: Space | Channel, db: Db): Promise<ReadonlySet<string>> =>
    new Set((await fetchList(place, db)).map(idOf));

  const write = <Result>(
    place: Space | Channel,
    change: Parameters<typeof store.write<Result>>[0],
  ): Promise<Result> =>
    store.write(async (transaction) => {
      const result = await change(transaction);
      await store.signals.publish(transaction, 'glossary', place);
      return result;
    });

  /** Combined lists of a channel's and its space's terms, by the first and then the second list. */
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
      await write(place, async (db) => {
        const known = await idsOf(place, db);
        if (known.size >= TERMS_PER_SPACE && !known.has(idOf(term)))
          throw new AppError('too-large', 'the glossary is full', {
            sentence: { key: 'glossary.full', params: { limit: TERMS_PER_SPACE } },
          });
        await put(db, place, [term]);
      });
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
      const { entries, assumed } = readColumns(await readGlossaryCsv(file, signal), languages, to);
      const lines: { line: number; entry: GlossaryTerm; fault: Fault | undefined }[] = [];
      for (const { line, term, language: typed, translation } of entries) {
        if (lines.length % ENTRIES_AT_ONCE === 0) await setImmediate();
        const language = typed === '' ? undefined : languages.find(typed);
        const entry = tidy({ term, language, translation });
        const isUnknown = typed !== '' && language === undefined;
        lines.push({ line, entry, fault: isUnknown ? 'unknown-language' : faultOf(entry) });
      }
      return write(place, async (db) => {
        const before = await idsOf(place, db);
        const known = new Set(before);
        const accepted = new Map<string, GlossaryTerm>();
        const rejected: ImportReport['rejected'][number][] = [];
        let rejectedCount = 0;
        for (const [index, { line, entry, fault }] of lines.entries()) {
          if (index % ENTRIES_AT_ONCE === 0) await setImmediate();
          const id = idOf(entry);
          const isFull = known.size >= TERMS_PER_SPACE && !known.has(id);
          if (fault || isFull) {
            rejectedCount += 1;
            if (rejected.length < MOST_REJECTED_LISTED)
              rejected.push({ line, reason: fault ?? 'limit' });
            continue;
          }
          known.add(id);
          accepted.set(id, entry);
        }
        await put(db, place, [...accepted.values()]);
        const changed = [...accepted.keys()].filter((id) => before.has(id)).length;
        return { added: accepted.size - changed, changed, rejectedCount, rejected, assumed };
      });
    },

    exportCsv: async (place) => writeGlossaryCsv(await list(place)),
  };
};
