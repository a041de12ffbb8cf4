import { setImmediate } from 'node:timers/promises';
import { type RawBuilder, sql } from 'kysely';
import { keyOf, type Space } from '../../model/place.ts';
import type { Store } from '../index.ts';
import { removeFromChanges } from '../audit.ts';
import { deleteRows, spaceColumns } from '../rows.ts';
import { TABLES_OF_SPACES, type SpaceColumns } from './tables.ts';
import { noteGreeted } from '../settings.ts';
import { either } from '../sqlite/guards.ts';
import { removeMarks } from '../channels/marks.ts';
import { removeLeases } from './clear-old.ts';

/** Rows that one write looks at; the event loop runs between two writes. */
const ROWS_AT_ONCE = 1_000;

/** Matches the rows of a space; a glossary names a channel too, after a slash. */
const isOf = ({ platform, id }: Space, columns: readonly SpaceColumns[]): RawBuilder<boolean> =>
  either(
    columns.map(
      ([platformColumn, idColumn]) =>
        sql<boolean>`(${sql.ref(platformColumn)} = ${platform} AND (${sql.ref(idColumn)} = ${id}
          OR substr(${sql.ref(idColumn)}, 1, ${id.length + 1}) = ${`${id}/`}))`,
    ),
  );

/** Opens the removal of everything that is stored of a space. */
export const openSpaceData = async (store: Store, now: () => number = Date.now) => {
  const leftSpaces = new Set<string>();
  const load = async (): Promise<void> => {
    const rows = await store.selectFrom('left_space').select(['platform', 'space_id']).execute();
    leftSpaces.clear();
    for (const { platform, space_id: id } of rows) leftSpaces.add(keyOf({ platform, id }));
  };
  store.signals.subscribe('space-left', async (space) => {
    if (space) leftSpaces.add(keyOf(space));
    else await load();
  });
  store.signals.subscribe('space-joined', async (space) => {
    if (space) leftSpaces.delete(keyOf(space));
    else await load();
  });
  await load();

  /** SQLite's rows are looked at by their numbers, so that no write holds up the event loop. */
  const removeFrom = async (
    table: string,
    columns: readonly SpaceColumns[],
    space: Space,
  ): Promise<void> => {
    if (store.engine === 'postgres') {
      await store.write((db) =>
        sql`DELETE FROM ${sql.table(table)} WHERE ${isOf(space, columns)}`.execute(db),
      );
      return;
    }
    const newest = await sql<{ last: number | null }>`
      SELECT max(rowid) AS last FROM ${sql.table(table)}`.execute(store);
    const last = newest.rows[0]?.last ?? 0;
    // From the end, because a checkpoint may meanwhile give rows lower numbers.
    for (let from = last; from > -ROWS_AT_ONCE; from -= ROWS_AT_ONCE) {
      await store.write((db) =>
        sql`DELETE FROM ${sql.table(table)} WHERE rowid BETWEEN ${from} AND ${from + ROWS_AT_ONCE - 1}
          AND ${isOf(space, columns)}`.execute(db),
      );
      await setImmediate();
    }
  };

  return {
    /** Lets nothing be stored for a space from now on. */
    leave: async (space: Space): Promise<void> => {
      leftSpaces.add(keyOf(space));
      await store.write(async (db) => {
        await db
          .insertInto('left_space')
          .values({ ...spaceColumns(space), left_ms: now() })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        await store.signals.publish(db, 'space-left', space);
      });
    },
    /** Lets data of a space that was left be stored again. */
    join: async (space: Space): Promise<void> => {
      if (!leftSpaces.delete(keyOf(space))) return;
      await store.write(async (db) => {
        await deleteRows(db, 'left_space', spaceColumns(space));
        // Who removed it a moment ago knows it.
        await noteGreeted(db, space, space.id, store.signals);
        await store.signals.publish(db, 'space-joined', space);
      });
    },
    /** True from when a space is left until it is joined again. */
    isLeft: (space: Space): boolean => leftSpaces.has(keyOf(space)),
    /** Deletes every row of a space that was left. Resolves once copies in memory are gone, too. */
    remove: async (space: Space): Promise<void> => {
      for (const [table, columns] of TABLES_OF_SPACES) await removeFrom(table, columns, space);
      await store.write(async (db) => {
        await removeFromChanges(db, space.id);
        await removeMarks(db, space);
        await db
          .deleteFrom('quota')
          .where('name', 'like', `${keyOf(space)} %`)
          .execute();
        await store.signals.publish(db, 'space-left', space);
        await store.signals.publish(db, 'installation', space);
      });
      // Deleted text must not stay readable in the file.
      await store.checkpoint();
    },
    /** Deletes the leases that were of a space, once its work has ended; those of other processes go within two hours. */
    removeLeases: async (space: Space): Promise<void> => {
      if (store.engine === 'postgres') await store.write((db) => removeLeases(db, space));
    },
  };
};
