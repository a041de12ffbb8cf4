import type { Transaction } from 'kysely';
import { DAY_MS } from '../../async/clock.ts';
import { keyOf, type Channel, type Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { putRow } from '../rows.ts';
import type { Schema } from '../schema.ts';
import { RELAXED } from '../writer.ts';

/** Longer than a message waits for a late channel. */
const LIFE_MS = 2 * DAY_MS;

const MARKS = 'late told ';
const marksOf = (partition: string): string => `${MARKS}${partition} `;
const nameOf = (partition: string, { space, id }: Channel): string =>
  `${marksOf(partition)}${keyOf(space)} ${id}`;

/** Deletes marks that have lapsed before a time, ms since 1970. */
export const clearLateMarks = async (db: Transaction<Schema>, beforeMs: number): Promise<void> => {
  await db
    .deleteFrom('agreement')
    .where('name', 'like', `${MARKS}%`)
    .where('value', '<', beforeMs)
    .execute();
};

/** Deletes the marks of a space's channels. */
export const removeLateMarks = async (db: Transaction<Schema>, space: Space): Promise<void> => {
  await db
    .deleteFrom('agreement')
    .where('name', 'like', `${MARKS}% ${keyOf(space)} %`)
    .execute();
};

export type LateMarks = ReturnType<typeof createLateMarks>;

/** Stores which channels were told that their messages wait for a late channel, by the partition in which they wait. */
export const createLateMarks = (store: Store, now: () => number) => ({
  set: (partition: string, channel: Channel): Promise<void> =>
    store.write(
      (db) =>
        putRow(db, 'agreement', { name: nameOf(partition, channel) }, { value: now() + LIFE_MS }),
      RELAXED,
    ),
  /** Tells which of these channels were told. */
  among: async (partition: string, channels: readonly Channel[]): Promise<readonly Channel[]> => {
    const names = channels.map((channel) => nameOf(partition, channel));
    if (names.length === 0) return [];
    const rows = await store
      .selectFrom('agreement')
      .select('name')
      .where('name', 'in', names)
      .where('value', '>', now())
      .execute();
    const found = new Set(rows.map(({ name }) => name));
    return channels.filter((channel) => found.has(nameOf(partition, channel)));
  },
  remove: (partition: string, channels: readonly Channel[]): Promise<void> =>
    store.write(async (db) => {
      const names = channels.map((channel) => nameOf(partition, channel));
      await db.deleteFrom('agreement').where('name', 'in', names).execute();
    }, RELAXED),
});
