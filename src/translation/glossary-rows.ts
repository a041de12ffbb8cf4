import { setImmediate } from 'node:timers/promises';
import type { GlossaryTerm } from '../model/glossary.ts';
import type { Channel, Space } from '../model/place.ts';
import type { Store } from '../store/index.ts';
import { EVERY_LANGUAGE, foldTerm, idOf } from './glossary-terms.ts';

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

/** Reads a place's own entries, in alphabetical order of the terms. */
export const readTerms = async (db: Store, place: Place): Promise<readonly GlossaryTerm[]> => {
  const terms: GlossaryTerm[] = [];
  const query = db
    .selectFrom('glossary_term')
    .select(['term_key', 'term', 'language', 'translation'])
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .orderBy('term_key')
    .orderBy('language')
    .limit(ROWS_READ_AT_ONCE);
  let rows = await query.execute();
  for (;;) {
    for (const { term, language, translation } of rows)
      terms.push({
        term,
        language: language === EVERY_LANGUAGE ? undefined : language,
        translation: translation ?? undefined,
      });
    const last = rows.at(-1);
    if (!last || rows.length < ROWS_READ_AT_ONCE) return terms;
    await setImmediate();
    rows = await query
      .where((eb) =>
        eb(eb.refTuple('term_key', 'language'), '>', eb.tuple(last.term_key, last.language)),
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

/** The ids of those of some entries that are stored (see `idOf`). */
export const storedIds = async (
  db: Transaction,
  place: Place,
  terms: readonly GlossaryTerm[],
): Promise<ReadonlySet<string>> => {
  const rows = await db
    .selectFrom('glossary_term')
    .select(['term', 'language'])
    .where((eb) => eb.and({ ...ownerOf(place) }))
    .where('term_key', 'in', [...new Set(terms.map(({ term }) => foldTerm(term)))])
    .execute();
  return new Set(
    rows.map(({ term, language }) => idOf({ term, language, translation: undefined })),
  );
};

/** Stores entries; each replaces the one of the same id. */
export const putTerms = async (
  db: Transaction,
  place: Place,
  terms: readonly GlossaryTerm[],
): Promise<void> => {
  const row = (term: GlossaryTerm) => ({
    ...ownerOf(place),
    term_key: foldTerm(term.term),
    language: term.language ?? EVERY_LANGUAGE,
    term: term.term,
    translation: term.translation ?? null,
  });
  for (let from = 0; from < terms.length; from += ROWS_WRITTEN_AT_ONCE) {
    await db
      .insertInto('glossary_term')
      .values(terms.slice(from, from + ROWS_WRITTEN_AT_ONCE).map(row))
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
