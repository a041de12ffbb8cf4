import { sql, type Transaction } from 'kysely';
import type { ErrorCode, Sentence } from '../../errors.ts';
import type { MessageRef, Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { spaceColumns } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { isDead, isOf, readSentence, rowChannel } from './row.ts';

/** Messages of a space that were given up, and of which its moderators are to be told. */
export interface GivenUp {
  readonly count: number;
  /** The reason of the newest. */
  readonly reason: Sentence;
  /** The newest. */
  readonly refs: readonly MessageRef[];
}

/** Spaces that are told of at once. */
export const TOLD_AT_ONCE = 100;

/** Condition of a partial index, word for word. */
const isUntold = sql<boolean>`untold > 0`;

export const [TOLD, UNTOLD, BEGUN] = [0, 1, 2];

const change = async (
  db: Transaction<Schema>,
  space: Space,
  from: number,
  to: number,
): Promise<void> => {
  await db
    .updateTable('inbox')
    .set({ untold: to })
    .where(isUntold)
    .where(isOf(space))
    .where('untold', '=', from)
    .execute();
};

/** Creates what knows which messages were given up and not told of yet; it survives the end of the process. */
export const createUntold = (store: Store) => ({
  /** Lists spaces of these platforms of which something is to be told, the first `TOLD_AT_ONCE` after one of them. */
  spaces: async (platforms: readonly string[], after?: Space): Promise<readonly Space[]> => {
    if (platforms.length === 0) return [];
    const rows = await store
      .selectFrom('inbox')
      .select(['platform', 'space_id'])
      .distinct()
      .where(isUntold)
      .where(isDead)
      .where('platform', 'in', platforms)
      .$if(after !== undefined, (query) =>
        query.where((eb) =>
          eb(
            eb.refTuple('platform', 'space_id'),
            '>',
            eb.tuple(after?.platform ?? '', after?.id ?? ''),
          ),
        ),
      )
      .orderBy('platform')
      .orderBy('space_id')
      .limit(TOLD_AT_ONCE)
      .execute();
    return rows.map(({ platform, space_id: id }) => ({ platform, id }));
  },

  /**
   * Takes all that is to be told of a space; undefined for nothing. It is given again until `end` is called.
   *
   * @param most messages that are named
   */
  begin: (space: Space, most: number): Promise<GivenUp | undefined> =>
    store.write(async (db) => {
      await change(db, space, UNTOLD, BEGUN);
      const begun = db
        .selectFrom('inbox')
        .where(isUntold)
        .where(isDead)
        .where((eb) => eb.and({ ...spaceColumns(space), untold: BEGUN }));
      const { count } = await begun
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow();
      const newest = await begun
        .select(['platform', 'space_id', 'channel_id', 'parent_id', 'message_id'])
        .select(['reason', 'sentence'])
        .orderBy('changed_ms', 'desc')
        .limit(most)
        .execute();
      const [first] = newest;
      if (!first) return undefined;
      return {
        count,
        reason: readSentence(first.sentence, (first.reason ?? 'internal') as ErrorCode),
        refs: newest.map((row) => ({ channel: rowChannel(row), id: row.message_id })),
      };
    }),

  /** Notes that what `begin` took was told. */
  end: (space: Space): Promise<void> => store.write((db) => change(db, space, BEGUN, TOLD)),
});
