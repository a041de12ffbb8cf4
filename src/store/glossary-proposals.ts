import { randomUUID } from 'node:crypto';
import type { Transaction } from 'kysely';
import { userError } from '../errors.ts';
import type { GlossaryProposal, GlossaryTerm } from '../model/glossary.ts';
import type { Person, Space } from '../model/place.ts';
import type { Store } from './index.ts';
import { readRows, spaceColumns } from './rows.ts';
import type { Schema } from './schema.ts';

/** Proposals of one person in a space, and of all there, on which nobody has decided. */
const MOST_OF_PERSON = 5;
const MOST_OF_SPACE = 100;

const COLUMNS = [
  'id',
  'author_id',
  'proposed_term',
  'language',
  'proposed_translation',
  'since_ms',
] as const;

const termOf = (
  row: Pick<Schema['glossary_proposal'], 'proposed_term' | 'language' | 'proposed_translation'>,
): GlossaryTerm => ({
  term: row.proposed_term,
  language: row.language ?? undefined,
  translation: row.proposed_translation,
});

/** Creates the store of glossary entries that members propose. */
export const createGlossaryProposals = (store: Store, now: () => number) => ({
  /** Resolves with undefined for what was proposed before. Rejects with `rate-limited` where the person, or the space, has as many as there may be. */
  put: (
    of: Space,
    by: Person,
    { term, language, translation = '' }: GlossaryTerm,
  ): Promise<GlossaryProposal | undefined> =>
    store.write(async (db) => {
      const open = await readRows(db, 'glossary_proposal', spaceColumns(of), [...COLUMNS]);
      const isKnown = open.some(
        (row) =>
          row.proposed_term === term &&
          row.proposed_translation === translation &&
          row.language === (language ?? null),
      );
      if (isKnown) return undefined;
      const own = open.filter(({ author_id: author }) => author === by.id);
      if (own.length >= MOST_OF_PERSON || open.length >= MOST_OF_SPACE)
        throw userError('rate-limited', 'glossary.proposals-full', { most: MOST_OF_PERSON });
      const id = randomUUID();
      await db
        .insertInto('glossary_proposal')
        .values({
          ...spaceColumns(of),
          id,
          author_id: by.id,
          proposed_term: term,
          language: language ?? null,
          proposed_translation: translation,
          since_ms: now(),
        })
        .execute();
      return { id, authorId: by.id, term: { term, language, translation } };
    }),

  /** Lists the proposals of a space, the oldest first. */
  list: async (of: Space): Promise<readonly GlossaryProposal[]> => {
    const rows = await readRows(store, 'glossary_proposal', spaceColumns(of), [...COLUMNS]);
    return rows
      .toSorted((a, b) => a.since_ms - b.since_ms)
      .map((row) => ({ id: row.id, authorId: row.author_id, term: termOf(row) }));
  },

  /** Takes a proposal within a transaction; undefined where somebody else has decided. */
  take: async (
    db: Transaction<Schema>,
    of: Space,
    id: string,
  ): Promise<GlossaryTerm | undefined> => {
    const row = await db
      .deleteFrom('glossary_proposal')
      .where((eb) => eb.and({ ...spaceColumns(of), id }))
      .returning(['proposed_term', 'language', 'proposed_translation'])
      .executeTakeFirst();
    return row && termOf(row);
  },
});
