import type { GlossaryTerm, ImportReport } from '../model/glossary.ts';
import { setImmediate } from 'node:timers/promises';
import type { Channel, Space } from '../model/place.ts';
import type { Store } from '../store/index.ts';
import { foldText } from '../text/terms/fold.ts';

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

const EVERY_LANGUAGE = '';

/** The spelling under which a term is stored, the same for all in which it is found alike. */
export const foldTerm = (term: string): string => foldText(term).text;

/** An entry's term and language: of two entries with the same, the newer replaces the older. */
export const idOf = (term: GlossaryTerm): string =>
  `${term.language ?? EVERY_LANGUAGE} ${foldTerm(term.term)}`;

type Place = Space | Channel;
type Transaction = Parameters<Parameters<Store['write']>[0]>[0];

/** Rows of one statement; the event loop runs between two statements. */
const ROWS_READ_AT_ONCE = 1_000;
const ROWS_WRITTEN_AT_ONCE = 100;

interface Owner {
  readonly platform: string;
  readonly space_id: string;
}

const ownerOf = (place: Place): Owner =>
  'space' in place
    ? {
        platform: place.space.platform,
        space_id: `${place.space.id}/${place.parentId ?? place.id}`,
      }
    : { platform: place.platform, space_id: place.id };

/** The key under which a place's own entries are cached; a thread has its channel's. */
export const placeKey = (place: Place): string => JSON.stringify(ownerOf(place));

interface TermRow {
  readonly term: string;
  readonly language: string;
  readonly translation: string | null;
}

const termOf = ({ term, language, translation }: TermRow): GlossaryTerm => ({
  term,
  language: language === EVERY_LANGUAGE ? undefined : language,
  translation: translation ?? undefined,
});

/** Reads a place's own entries, in alphabetical order of the terms. */
export const readTerms = async (db: Store, place: Place): Promise<readonly GlossaryTerm[]> => {
  const terms: GlossaryTerm[] = [];
  const query = db
    .selectFrom('glossary_term')
    .select(['term_key', 'term', 'language', 'copy', 'translation'])
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .orderBy('term_key')
    .orderBy('language')
    .orderBy('copy')
    .limit(ROWS_READ_AT_ONCE);
  let rows = await query.execute();
  for (;;) {
    terms.push(...rows.map(termOf));
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_READ_AT_ONCE) return terms;
    await setImmediate();
    rows = await query
      .where((eb) =>
        eb(
          eb.refTuple('term_key', 'language', 'copy'),
          '>',
          eb.tuple(last.term_key, last.language, last.copy),
        ),
      )
      .execute();
  }
};

export const countTerms = async (db: Transaction, place: Place): Promise<number> => {
  const { count } = await db
    .selectFrom('glossary_term')
    .select((eb) => eb.fn.countAll().as('count'))
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .executeTakeFirstOrThrow();
  return Number(count);
};

/** Reads the stored entries of the ids of some entries, by these ids (see `idOf`). */
export const storedTerms = async (
  db: Transaction,
  place: Place,
  terms: readonly GlossaryTerm[],
): Promise<ReadonlyMap<string, GlossaryTerm>> => {
  const rows = await db
    .selectFrom('glossary_term')
    .select(['term', 'language', 'translation'])
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .where('term_key', 'in', [...new Set(terms.map(({ term }) => foldTerm(term)))])
    .where('copy', '=', 0)
    .execute();
  return new Map(rows.map(termOf).map((term) => [idOf(term), term]));
};

/** Removes the older spellings of entries. */
const removeCopies = async (
  db: Transaction,
  place: Place,
  terms: readonly GlossaryTerm[],
): Promise<void> => {
  const ids = new Set(terms.map(idOf));
  const copies = await db
    .selectFrom('glossary_term')
    .select(['term_key', 'language', 'term', 'translation'])
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .where('term_key', 'in', [...new Set(terms.map(({ term }) => foldTerm(term)))])
    .where('copy', '>', 0)
    .execute();
  for (const row of copies)
    if (ids.has(idOf(termOf(row))))
      await db
        .deleteFrom('glossary_term')
        .where((eb) => eb.and({ ...ownerOf(place) }))
        .where('term_key', '=', row.term_key)
        .where('language', '=', row.language)
        .where('copy', '>', 0)
        .execute();
};

/** Stores entries; each replaces the one of the same id, in all its spellings. */
export const putTerms = async (
  db: Transaction,
  place: Place,
  terms: readonly GlossaryTerm[],
): Promise<void> => {
  const row = (term: GlossaryTerm) => ({
    ...ownerOf(place),
    term_key: foldTerm(term.term),
    language: term.language ?? EVERY_LANGUAGE,
    copy: 0,
    term: term.term,
    translation: term.translation ?? null,
  });
  for (let from = 0; from < terms.length; from += ROWS_WRITTEN_AT_ONCE) {
    const some = terms.slice(from, from + ROWS_WRITTEN_AT_ONCE);
    await removeCopies(db, place, some);
    await db
      .insertInto('glossary_term')
      .values(some.map(row))
      .onConflict((conflict) =>
        conflict
          .columns(['platform', 'space_id', 'term_key', 'language', 'copy'])
          .doUpdateSet((excluded) => ({
            term: excluded.ref('excluded.term'),
            translation: excluded.ref('excluded.translation'),
          })),
      )
      .execute();
    await setImmediate();
  }
};

/** Removes a term in one language or, without it, in all; resolves with how many went. */
export const removeTerm = async (
  db: Transaction,
  place: Place,
  term: string,
  language: string | undefined,
): Promise<number> => {
  const all = db
    .deleteFrom('glossary_term')
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .where('term_key', '=', foldTerm(term.trim()));
  const query = language === undefined ? all : all.where('language', '=', language);
  return Number((await query.executeTakeFirstOrThrow()).numDeletedRows);
};
