import { setImmediate } from 'node:timers/promises';
import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Space } from '../model/place.ts';
import { DAY_MS } from '../async/clock.ts';
import type { Store } from './index.ts';
import type { Schema } from './schema.ts';
import { deleteRows, spaceColumns, statement } from './rows.ts';

/**
 * Use of the service: code points that were translated, spoken, or part of questions and answers;
 * audio recognised; tokens of the language model, of questions and answers; messages served.
 */
export interface UsageAmounts {
  readonly characters: number;
  readonly audioMs: number;
  readonly chatTokens: number;
  readonly messages: number;
}

export interface MemberUsage extends UsageAmounts {
  readonly memberId: string;
}

/** The use of one day. `day` is `YYYY-MM-DD` in UTC. */
export interface UsageDay extends UsageAmounts {
  readonly day: string;
  /** The number of people who used it; all who are not named count as one. */
  readonly people: number;
}

const NOTHING: UsageAmounts = { characters: 0, audioMs: 0, chatTokens: 0, messages: 0 };

const KEY = ['platform', 'space_id', 'day', 'member_id'] as const;

/** Date in UTC (`YYYY-MM-DD`) of a time in ms since 1970. */
const dayOf = (timeMs: number): string => new Date(timeMs).toISOString().slice(0, 10);

const addToDay = statement((db, day: Selectable<Schema['usage_day']>) =>
  db
    .insertInto('usage_day')
    .values(day)
    .onConflict((conflict) =>
      conflict.columns(KEY).doUpdateSet((row) => ({
        characters: row('usage_day.characters', '+', row.ref('excluded.characters')),
        audio_ms: row('usage_day.audio_ms', '+', row.ref('excluded.audio_ms')),
        chat_tokens: row('usage_day.chat_tokens', '+', row.ref('excluded.chat_tokens')),
        messages: row('usage_day.messages', '+', row.ref('excluded.messages')),
      })),
    ),
);

/**
 * Adds to a member's usage of the day of `timeMs` (ms since 1970).
 *
 * @param db the store, or a transaction of it
 * @param used an omitted amount is none
 */
export const recordUsage = async (
  db: Kysely<Schema>,
  space: Space,
  memberId: string,
  used: Partial<UsageAmounts>,
  timeMs: number,
): Promise<void> => {
  const { characters, audioMs, chatTokens, messages } = { ...NOTHING, ...used };
  await addToDay(db, {
    platform: space.platform,
    space_id: space.id,
    day: dayOf(timeMs),
    member_id: memberId,
    characters,
    audio_ms: Math.round(audioMs),
    chat_tokens: chatTokens,
    messages,
  });
};

/** Adds, within a transaction, the use of members who are no longer named to the total of each day. */
export const addToTotals = async (
  db: Transaction<Schema>,
  days: readonly Selectable<Schema['usage_day']>[],
): Promise<void> => {
  for (const day of days) await addToDay(db, { ...day, member_id: '' });
};

/**
 * Merges, within a transaction, members' usage of days before `beforeMs` (ms since 1970) into the
 * total of each day. Resolves with the number of merged entries, at most `most`.
 */
export const foldUsage = async (
  db: Transaction<Schema>,
  beforeMs: number,
  most: number,
): Promise<number> => {
  const old = await db
    .selectFrom('usage_day')
    .selectAll()
    .where('day', '<', dayOf(beforeMs))
    .where('member_id', '<>', '')
    .limit(most)
    .execute();
  for (const { platform, space_id, day, member_id } of old)
    await deleteRows(db, 'usage_day', { platform, space_id, day, member_id });
  await addToTotals(db, old);
  return old.length;
};

/** Adds two amounts. */
export const usedTogether = (a: UsageAmounts, b: UsageAmounts): UsageAmounts => ({
  characters: a.characters + b.characters,
  audioMs: a.audioMs + b.audioMs,
  chatTokens: a.chatTokens + b.chatTokens,
  messages: a.messages + b.messages,
});

const shareOf = (own: UsageAmounts, whole: UsageAmounts): number =>
  (['characters', 'audioMs', 'chatTokens'] as const).reduce(
    (sum, use) => sum + own[use] / Math.max(1, whole[use]),
    0,
  );

export type Usage = ReturnType<typeof createUsage>;

/**
 * Creates the record of use, by day, space and member.
 *
 * @param now returns ms since 1970
 */
export const createUsage = (store: Store, now: () => number = Date.now) => {
  const none = { ...NOTHING, people: 0 };

  const recorded = (space: Space) =>
    store.selectFrom('usage_day').where((eb) => eb.and(spaceColumns(space)));

  /** The dates of the last days, oldest first. */
  const lastDays = (count: number): readonly string[] =>
    Array.from({ length: count }, (_, index) => dayOf(now() - (count - 1 - index) * DAY_MS));

  /**
   * Resolves with the last days, oldest first, including those without use; members are recorded
   * for 90 days.
   */
  const days = async (space: Space, count: number): Promise<readonly UsageDay[]> => {
    const dates = lastDays(count);
    const rows = await recorded(space)
      .select(({ fn }) => [
        'day',
        fn.sum<number>('characters').as('characters'),
        fn.sum<number>('audio_ms').as('audioMs'),
        fn.sum<number>('chat_tokens').as('chatTokens'),
        fn.sum<number>('messages').as('messages'),
        sql<number>`count(*)`.as('people'),
      ])
      .where('day', '>=', dates[0] ?? '')
      .groupBy('day')
      .execute();
    const known = new Map(rows.map((row) => [row.day, row]));
    return dates.map((day) => known.get(day) ?? { day, ...none });
  };

  return {
    /** Adds to a member's use of today. */
    record: (space: Space, memberId: string, used: Partial<UsageAmounts>): Promise<void> =>
      recordUsage(store, space, memberId, used, now()),
    today: async (space: Space): Promise<UsageAmounts> => (await days(space, 1))[0] ?? none,
    todayOf: async (space: Space, memberId: string): Promise<UsageAmounts> => {
      const row = await recorded(space)
        .select(['characters', 'audio_ms as audioMs', 'chat_tokens as chatTokens', 'messages'])
        .where('day', '=', dayOf(now()))
        .where('member_id', '=', memberId)
        .executeTakeFirst();
      return row ?? NOTHING;
    },
    /** Resolves with the use of one person today, in all spaces of a platform that use the operator's key. */
    todayEverywhere: async (platform: string, memberId: string): Promise<UsageAmounts> => {
      const row = await store
        .selectFrom('usage_day')
        .select(({ fn }) => [
          fn.sum<number | null>('characters').as('characters'),
          fn.sum<number | null>('audio_ms').as('audioMs'),
          fn.sum<number | null>('chat_tokens').as('chatTokens'),
          fn.sum<number | null>('messages').as('messages'),
        ])
        .where('platform', '=', platform)
        .where('member_id', '=', memberId)
        .where('day', '=', dayOf(now()))
        .where((eb) => {
          const keys = eb
            .selectFrom('space_key')
            .select('space_key.space_id')
            .whereRef('space_key.platform', '=', 'usage_day.platform')
            .whereRef('space_key.space_id', '=', 'usage_day.space_id');
          return eb.not(eb.exists(keys));
        })
        .executeTakeFirstOrThrow();
      return {
        characters: row.characters ?? 0,
        audioMs: row.audioMs ?? 0,
        chatTokens: row.chatTokens ?? 0,
        messages: row.messages ?? 0,
      };
    },
    /**
     * Resolves with the members who used most in the last days, at most `most`: by the sum of their
     * shares of all characters, audio and tokens. Those who are no longer named are left out.
     */
    top: async (space: Space, count: number, most: number): Promise<readonly MemberUsage[]> => {
      const used = new Map<string, UsageAmounts>();
      for (const day of lastDays(count)) {
        const rows = await recorded(space)
          .select(['member_id', 'characters', 'audio_ms as audioMs', 'messages'])
          .select('chat_tokens as chatTokens')
          .where('day', '=', day)
          .where('member_id', '<>', '')
          .execute();
        for (const { member_id: id, ...row } of rows)
          used.set(id, usedTogether(used.get(id) ?? NOTHING, row));
        // A large space has many rows a day: the event loop runs between two days.
        await setImmediate();
      }
      const whole = used.values().reduce(usedTogether, NOTHING);
      const ranked = [...used].map(([memberId, own]) => ({
        memberId,
        own,
        share: shareOf(own, whole),
      }));
      return ranked
        .toSorted((a, b) => b.share - a.share)
        .slice(0, most)
        .map(({ memberId, own }) => ({ memberId, ...own }));
    },
    days,
  };
};
