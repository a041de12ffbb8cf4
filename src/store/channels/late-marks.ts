import { DAY_MS } from '../../async/clock.ts';
import type { Channel } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { putRow } from '../rows.ts';
import { markName } from './marks.ts';
import { RELAXED } from '../writer.ts';

/** Longer than a message waits for a late channel. */
const LIFE_MS = 2 * DAY_MS;

const KIND = 'late told';

export type LateMarks = ReturnType<typeof createLateMarks>;

/** Stores which channels were told that their messages wait for a late channel, by the partition in which they wait. */
export const createLateMarks = (store: Store, now: () => number) => ({
  set: (partition: string, channel: Channel): Promise<void> =>
    store.write((db) => {
      const name = markName(KIND, partition, channel);
      return putRow(db, 'agreement', { name }, { value: now() + LIFE_MS });
    }, RELAXED),
  /** Tells which of these channels were told. */
  among: async (partition: string, channels: readonly Channel[]): Promise<readonly Channel[]> => {
    const names = channels.map((channel) => markName(KIND, partition, channel));
    if (names.length === 0) return [];
    const rows = await store
      .selectFrom('agreement')
      .select('name')
      .where('name', 'in', names)
      .where('value', '>', now())
      .execute();
    const found = new Set(rows.map(({ name }) => name));
    return channels.filter((channel) => found.has(markName(KIND, partition, channel)));
  },
  remove: (partition: string, channels: readonly Channel[]): Promise<void> =>
    store.write(async (db) => {
      const names = channels.map((channel) => markName(KIND, partition, channel));
      await db.deleteFrom('agreement').where('name', 'in', names).execute();
    }, RELAXED),
});
