import type { Transaction } from 'kysely';
import { z } from 'zod';
import type { Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { WatchUndo } from '../../model/watches.ts';
import type { Store } from '../index.ts';
import { deleteRows, spaceColumns } from '../rows.ts';
import type { Schema } from '../schema.ts';

/** Most of a space that can be set back at a time; the oldest go first. */
export const MOST_UNDOS = 20;

/** A watch as another version of this program may have stored it. */
export const formerWatch = z.object({
  channel: z.object({
    space: z.object({ platform: z.string(), id: z.string() }),
    id: z.string(),
    parentId: z.string().optional(),
  }),
  mode: z.enum(['reply', 'compact', 'request', 'thread', 'mirror']),
  languages: z.array(z.string()),
  group: z.string().optional(),
  transcribes: z.boolean(),
  bots: z.boolean(),
  below: z.literal(true).optional(),
  choices: z.looseObject({}).optional(),
});
const formerWatches = z.array(formerWatch);

/** The watches of a row that was used up: whoever presses later learns so. */
const USED = '[]';

/** An undo with what it sets back. */
export interface StoredUndo extends WatchUndo {
  readonly watches: readonly ChannelWatch[];
}

/** The rows of a space, the newest first. */
const rowsOf = (db: Pick<Store, 'selectFrom'>, space: Space) =>
  db
    .selectFrom('watch_undo')
    .selectAll()
    .where((eb) => eb.and(spaceColumns(space)))
    .orderBy('expires_ms', 'desc')
    .execute();

/** Stores an undo within the transaction of what it sets back; nothing where nothing ended. */
export const putUndo = async (
  db: Transaction<Schema>,
  space: Space,
  { id, mixesAges, isOfRules, expiresMs }: WatchUndo,
  ended: readonly ChannelWatch[],
): Promise<void> => {
  if (ended.length === 0) return;
  const all = await rowsOf(db, space);
  for (const old of all.slice(MOST_UNDOS - 1)) await deleteRows(db, 'watch_undo', { id: old.id });
  await db
    .insertInto('watch_undo')
    .values({
      ...spaceColumns(space),
      id,
      watches: JSON.stringify(ended),
      mixes_ages: Number(mixesAges),
      of_rules: Number(isOfRules),
      // Those of one moment keep their order.
      expires_ms: Math.max(expiresMs, (all[0]?.expires_ms ?? 0) + 1),
    })
    .execute();
};

/** Uses one up within the transaction that sets it back; false where another process was faster. */
const takeUndo = async (db: Transaction<Schema>, space: Space, id: string): Promise<boolean> => {
  const { numUpdatedRows } = await db
    .updateTable('watch_undo')
    .set({ watches: USED })
    .where((eb) => eb.and({ ...spaceColumns(space), id }))
    .where('watches', '!=', USED)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
};

export type WatchUndos = ReturnType<typeof createWatchUndos>;

/** Reads and uses up what can be set back. */
export const createWatchUndos = (store: Store, now: () => number) => ({
  /** Lists those of a space that have not expired, the newest first. */
  list: async (space: Space): Promise<readonly StoredUndo[]> => {
    const rows = await rowsOf(store, space);
    return rows.flatMap((row) => {
      const { id, mixes_ages, of_rules, expires_ms: expiresMs } = row;
      // Another version of this program may have stored something else.
      const { data } = formerWatches.safeParse(JSON.parse(row.watches));
      const watches = data as readonly ChannelWatch[] | undefined;
      const undo = { id, mixesAges: mixes_ages === 1, isOfRules: of_rules === 1, expiresMs };
      return watches?.[0] && expiresMs >= now() ? [{ ...undo, watches }] : [];
    });
  },
  take: takeUndo,
  /** True of one that was used up, until it would have expired. */
  isUsed: async (space: Space, id: string, db: Pick<Store, 'selectFrom'> = store) =>
    (await rowsOf(db, space)).some((row) => row.id === id && row.watches === USED),
});
