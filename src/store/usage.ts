import { sql, type Kysely, type Selectable, type Transaction } from 'kysely';
import type { Space } from '../model/place.ts';
import { DAY_MS } from '../async/time.ts';
import type { Store } from './index.ts';
import type { Schema } from './schema.ts';
import { statement } from './sqlite.ts';

/**
 * Use of the service: code points that were translated, spoken, or part of questions and answers;
 * audio recognised; messages served.
 */
export interface UsageAmounts {
  readonly characters: number;
  readonly audioMs: number;
  readonly messages: number;
}

/** The use of one day. `day` is `YYYY-MM-DD` in UTC. */
export interface UsageDay extends UsageAmounts {
  readonly day: string;
  /** The number of people who used it; all erased people count as one. */
  readonly people: number;
}

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
        messages: row('usage_day.messages', '+', row.ref('excluded.messages')),
      })),
    ),
);

/**
 * Adds to a member's usage of the day of `timeMs` (ms since 1970).
 *
 * @param db the store, or a transaction of it
 */
export const recordUsage = async (
  db: Kysely<Schema>,
  space: Space,
  memberId: string,
  { characters, audioMs, messages }: UsageAmounts,
  timeMs: number,
): Promise<void> => {
  await addToDay(db, {
    platform: space.platform,
    space_id: space.id,
    day: dayOf(timeMs),
    member_id: memberId,
    characters,
    audio_ms: Math.round(audioMs),
    messages,
  });
};

/** Adds, within a transaction, the use of members who are no longer named to the total of each day. */
export const keepTotals = async (
  db: Transaction<Schema>,
  days: readonly Selectable<Schema['usage_day']>[],
): Promise<void> => {
  for (const { platform, space_id, day, characters, audio_ms, messages } of days)
    await recordUsage(
      db,
      { platform, id: space_id },
      '',
      { characters, audioMs: audio_ms, messages },
      Date.parse(day),
    );
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
    await db
      .deleteFrom('usage_day')
      .where((eb) => eb.and({ platform, space_id, day, member_id }))
      .execute();
  await keepTotals(db, old);
  return old.length;
};

export type Usage = ReturnType<typeof createUsage>;

/**
 * Creates the record of use, by day, space and member.
 *
 * @param now returns ms since 1970
 */
export const createUsage = (store: Store, now: () => number = Date.now) => {
  const none = { characters: 0, audioMs: 0, messages: 0, people: 0 };

  /**
   * Resolves with the last days, oldest first, including those without use; members are recorded
   * for 90 days.
   */
  const days = async (space: Space, count: number): Promise<readonly UsageDay[]> => {
    const wanted = Array.from({ length: count }, (_, index) =>
      dayOf(now() - (count - 1 - index) * DAY_MS),
    );
    const rows = await store
      .selectFrom('usage_day')
      .select(({ fn }) => [
        'day',
        fn.sum<number>('characters').as('characters'),
        fn.sum<number>('audio_ms').as('audioMs'),
        fn.sum<number>('messages').as('messages'),
        sql<number>`count(*)`.as('people'),
      ])
      .where('platform', '=', space.platform)
      .where('space_id', '=', space.id)
      .where('day', '>=', wanted[0] ?? '')
      .groupBy('day')
      .execute();
    const known = new Map(rows.map((row) => [row.day, row]));
    return wanted.map((day) => known.get(day) ?? { day, ...none });
  };

  return {
    /** Adds to a member's use of today. */
    record: (space: Space, memberId: string, used: UsageAmounts): Promise<void> =>
      recordUsage(store, space, memberId, used, now()),
    /** Resolves with the use of the whole space today. */
    today: async (space: Space): Promise<UsageAmounts> => (await days(space, 1))[0] ?? none,
    days,
  };
};
