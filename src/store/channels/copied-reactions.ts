import { hash } from 'node:crypto';
import type { Selectable, Transaction } from 'kysely';
import { messageKey, type MessageRef } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { changeRows, deleteRows, readRow, readRows } from '../rows.ts';
import type { Schema } from '../schema.ts';

/** Emoji of one message that are recorded; further ones are left out. */
export const MOST_EMOJI = 5;

/** The people elsewhere who have reacted to a message with an emoji. */
export interface ReactionElsewhere {
  readonly emoji: string;
  readonly people: number;
}

/** The state of an emoji under a message: whether our own reaction is wanted there, and whether it was put there. */
export interface ReactionState {
  readonly isWanted: boolean;
  readonly isShown: boolean;
}

/** A message with the number of people that have reacted elsewhere. */
export interface NotedReactions {
  readonly ref: MessageRef;
  readonly people: number;
}

const keyColumns = ({ channel, id }: MessageRef, emoji: string) => ({
  platform: channel.space.platform,
  channel_id: channel.id,
  message_id: id,
  emoji,
});

const messageColumns = (ref: MessageRef) => {
  const { emoji: _, ...columns } = keyColumns(ref, '');
  return columns;
};

/** An emoji under a message. */
export interface MessageEmoji {
  readonly ref: MessageRef;
  readonly emoji: string;
}

const SHOWN_COLUMNS = ['platform', 'space_id', 'channel_id', 'message_id', 'emoji'] as const;

const toMessageEmoji = ({
  platform,
  space_id: id,
  channel_id,
  message_id,
  emoji,
}: Pick<Selectable<Schema['copied_reaction']>, (typeof SHOWN_COLUMNS)[number]>): MessageEmoji => ({
  ref: { channel: { space: { platform, id }, id: channel_id }, id: message_id },
  emoji,
});

type Counts = Readonly<Record<string, number>>;

const readCounts = (stored: string): Counts => JSON.parse(stored) as Counts;

const totalOf = (counts: Counts): number =>
  Object.values(counts).reduce((total, count) => total + count, 0);

/** No id of a message may outlast its space, which is why a hash stands for it. */
const fromKey = (from: MessageRef): string => hash('sha256', messageKey(from)).slice(0, 16);

/** Stores the counts of a row, which ends where it has none and nothing of ours stands; returns its state. */
const putCounts = async (
  db: Transaction<Schema>,
  key: ReturnType<typeof keyColumns>,
  counts: Counts,
  shown: number,
): Promise<ReactionState> => {
  const [isWanted, isShown] = [totalOf(counts) > 0, shown === 1];
  if (isWanted || isShown)
    await changeRows(db, 'copied_reaction', key, { people: JSON.stringify(counts) });
  else await deleteRows(db, 'copied_reaction', key);
  return { isWanted, isShown };
};

export type CopiedReactionStore = ReturnType<typeof createCopiedReactionStore>;

/** Records how many people have reacted to the other copies of a message, and where our own reaction stands for them. */
export const createCopiedReactionStore = (store: Store, now: () => number) => {
  /** Reads a row and keeps others from changing it; makes it where there are people and not too many emoji. */
  const locked = async (
    db: Transaction<Schema>,
    { ref, people }: NotedReactions,
    emoji: string,
  ): Promise<{ readonly people: string; readonly shown: number } | undefined> => {
    const key = keyColumns(ref, emoji);
    const changed = { changed_ms: now() };
    const known = await db
      .updateTable('copied_reaction')
      .set(changed)
      .where((eb) => eb.and(key))
      .returning(['people', 'shown'])
      .executeTakeFirst();
    if (known || people === 0) return known;
    const others = await readRows(db, 'copied_reaction', messageColumns(ref), ['emoji']);
    if (others.length >= MOST_EMOJI) return undefined;
    return db
      .insertInto('copied_reaction')
      .values({ ...key, ...changed, space_id: ref.channel.space.id, people: '{}', shown: 0 })
      .onConflict((conflict) =>
        conflict.columns(['platform', 'channel_id', 'message_id', 'emoji']).doUpdateSet(changed),
      )
      .returning(['people', 'shown'])
      .executeTakeFirst();
  };

  return {
    /** Records the people who have reacted to a message with an emoji, each number as one of its copies counts them. */
    note: (
      from: MessageRef,
      emoji: string,
      counted: readonly NotedReactions[],
    ): Promise<readonly (ReactionState & { readonly ref: MessageRef })[]> =>
      store.write(async (db) => {
        const states: (ReactionState & { readonly ref: MessageRef })[] = [];
        for (const one of counted) {
          const row = await locked(db, one, emoji);
          if (!row) continue;
          const { [fromKey(from)]: _, ...others } = readCounts(row.people);
          const counts = one.people > 0 ? { ...others, [fromKey(from)]: one.people } : others;
          const state = await putCounts(db, keyColumns(one.ref, emoji), counts, row.shown);
          states.push({ ref: one.ref, ...state });
        }
        return states;
      }),

    /** Drops what a message counts of others than these; resolves with true where our own reaction is to go from it. */
    keepOnly: async (
      ref: MessageRef,
      emoji: string,
      from: readonly MessageRef[],
    ): Promise<boolean> => {
      const keys = from.map(fromKey);
      const kept = (people: string): Counts =>
        Object.fromEntries(
          Object.entries(readCounts(people)).filter(([key]) => keys.includes(key)),
        );
      const key = keyColumns(ref, emoji);
      const known = await readRow(store, 'copied_reaction', key, ['people', 'shown']);
      if (!known) return false;
      const total = totalOf(kept(known.people));
      if (total === totalOf(readCounts(known.people))) return total === 0 && known.shown === 1;
      return store.write(async (db) => {
        const row = await locked(db, { ref, people: 0 }, emoji);
        if (!row) return false;
        const { isWanted, isShown } = await putCounts(db, key, kept(row.people), row.shown);
        return isShown && !isWanted;
      });
    },

    /** Records whether our own reaction stands under a message; resolves with true where it is wanted there. */
    setShown: (ref: MessageRef, emoji: string, isShown: boolean): Promise<boolean> =>
      store.write(async (db) => {
        const row = await locked(db, { ref, people: 0 }, emoji);
        const isWanted = row !== undefined && totalOf(readCounts(row.people)) > 0;
        const key = keyColumns(ref, emoji);
        if (isWanted || isShown)
          await changeRows(db, 'copied_reaction', key, { shown: Number(isShown) });
        else await deleteRows(db, 'copied_reaction', key);
        return isWanted;
      }),

    /** Deletes what is recorded of a message that is gone. */
    drop: (ref: MessageRef): Promise<number> =>
      store.write((db) => deleteRows(db, 'copied_reaction', messageColumns(ref))),

    /** Lists the emoji with which people have reacted to other copies of a message, those of most people first. */
    of: async (ref: MessageRef): Promise<readonly ReactionElsewhere[]> => {
      const columns = ['emoji', 'people'] as const;
      const rows = await readRows(store, 'copied_reaction', messageColumns(ref), columns);
      return rows
        .map(({ emoji, people }) => ({ emoji, people: totalOf(readCounts(people)) }))
        .filter(({ people }) => people > 0)
        .toSorted((a, b) => b.people - a.people || (a.emoji < b.emoji ? -1 : 1));
    },

    /** Lists messages of a platform with their emoji in the order of their ids, those after one, at most `most`. */
    after: async (
      platform: string,
      last: MessageEmoji | undefined,
      most: number,
    ): Promise<readonly MessageEmoji[]> => {
      const { channel_id, message_id, emoji } = last
        ? keyColumns(last.ref, last.emoji)
        : { channel_id: '', message_id: '', emoji: '' };
      const rows = await store
        .selectFrom('copied_reaction')
        .select(SHOWN_COLUMNS)
        .where('platform', '=', platform)
        .where((eb) =>
          eb(
            eb.refTuple('channel_id', 'message_id', 'emoji'),
            '>',
            eb.tuple(channel_id, message_id, emoji),
          ),
        )
        .orderBy('channel_id')
        .orderBy('message_id')
        .orderBy('emoji')
        .limit(most)
        .execute();
      return rows.map(toMessageEmoji);
    },

    /** Lists messages of a platform with emoji that changed since a time (ms since 1970), the newest first, at most `most`. */
    recent: async (
      platform: string,
      sinceMs: number,
      most: number,
    ): Promise<readonly MessageEmoji[]> => {
      const rows = await store
        .selectFrom('copied_reaction')
        .select(SHOWN_COLUMNS)
        .where('platform', '=', platform)
        .where('changed_ms', '>=', sinceMs)
        .orderBy('changed_ms', 'desc')
        .limit(most)
        .execute();
      return rows.map(toMessageEmoji);
    },
  };
};
