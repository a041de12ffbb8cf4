import { randomUUID } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import { userError } from '../errors.ts';
import type { GlossaryProposal, GlossaryTerm } from '../model/glossary.ts';
import type { Channel, Person, Space } from '../model/place.ts';
import type { Store } from './index.ts';
import { changeRows, deleteRows, readRows, spaceColumns } from './rows.ts';
import type { Schema } from './schema.ts';

/** Proposals of one person in a space, and of all there, on which nobody has decided. */
const MOST_OF_PERSON = 5;
const MOST_OF_SPACE = 100;

/** Accepted ones that are announced at once. */
const MOST_ANNOUNCED = 200;

type Row = Selectable<Schema['glossary_proposal']>;

const COLUMNS = [
  'id',
  'author_id',
  'proposed_term',
  'language',
  'proposed_translation',
  'since_ms',
  'channel_id',
  'parent_id',
] as const;

/** The columns by which the proposals of a space are known on which nobody has decided. */
const undecided = (of: Space) => ({ ...spaceColumns(of), accepted: 0 });

const proposalOf = (
  space: Space,
  { channel_id: channelId, parent_id: parentId, ...row }: Pick<Row, (typeof COLUMNS)[number]>,
): GlossaryProposal => ({
  id: row.id,
  authorId: row.author_id,
  term: {
    term: row.proposed_term,
    language: row.language ?? undefined,
    translation: row.proposed_translation,
  },
  channel:
    channelId === ''
      ? undefined
      : { space, id: channelId, ...(parentId === '' ? {} : { parentId }) },
});

export type GlossaryProposals = ReturnType<typeof createGlossaryProposals>;

/** Creates the store of glossary entries that members propose. */
export const createGlossaryProposals = (store: Store, now: () => number) => ({
  /** Resolves with undefined for what was proposed before. Rejects with `rate-limited` where the person, or the space, has as many as there may be. */
  put: (
    channel: Channel,
    by: Person,
    { term, language, translation = '' }: GlossaryTerm,
  ): Promise<GlossaryProposal | undefined> =>
    store.write(async (db) => {
      const of = channel.space;
      const open = await readRows(db, 'glossary_proposal', undecided(of), COLUMNS);
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
          channel_id: channel.id,
          parent_id: channel.parentId ?? '',
        })
        .execute();
      return { id, authorId: by.id, term: { term, language, translation }, channel };
    }),

  /** Lists the proposals of a space, the oldest first. */
  list: async (of: Space): Promise<readonly GlossaryProposal[]> => {
    const rows = await readRows(store, 'glossary_proposal', undecided(of), COLUMNS);
    return rows.toSorted((a, b) => a.since_ms - b.since_ms).map((row) => proposalOf(of, row));
  },

  /**
   * Takes a proposal within a transaction; undefined where somebody else has decided. An accepted one is kept without its
   * author until `announced` is called.
   */
  take: async (
    db: Transaction<Schema>,
    of: Space,
    id: string,
    isAccepted: boolean,
  ): Promise<GlossaryProposal | undefined> => {
    const [row] = await readRows(db, 'glossary_proposal', { ...undecided(of), id }, COLUMNS);
    const only = { ...undecided(of), id };
    const taken = isAccepted
      ? await changeRows(db, 'glossary_proposal', only, {
          accepted: 1,
          author_id: '',
          since_ms: now(),
        })
      : await deleteRows(db, 'glossary_proposal', only);
    return row && taken > 0 ? proposalOf(of, row) : undefined;
  },

  /**
   * Lists some that were accepted between two times in ms since 1970, and are to be announced: the oldest of each space,
   * then the second oldest of each.
   */
  unannounced: async (fromMs: number, untilMs: number): Promise<readonly GlossaryProposal[]> => {
    const rows = await store
      .selectFrom((from) =>
        from
          .selectFrom('glossary_proposal')
          .select([...COLUMNS, 'platform', 'space_id'])
          .select(({ fn }) =>
            fn
              .agg<number>('row_number')
              .over((over) =>
                over.partitionBy(['platform', 'space_id']).orderBy('since_ms').orderBy('id'),
              )
              .as('turn'),
          )
          .where('accepted', '=', 1)
          .where('since_ms', '>=', fromMs)
          .where('since_ms', '<', untilMs)
          .as('accepted'),
      )
      .selectAll()
      .orderBy('turn')
      .orderBy('since_ms')
      .limit(MOST_ANNOUNCED)
      .execute();
    return rows.map((row) => proposalOf({ platform: row.platform, id: row.space_id }, row));
  },
  /** Deletes an accepted one that was announced, or is not to be. */
  announced: (id: string): Promise<number> =>
    store.write((db) => deleteRows(db, 'glossary_proposal', { id, accepted: 1 })),
});
