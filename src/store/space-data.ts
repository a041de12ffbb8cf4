import { setImmediate } from 'node:timers/promises';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { keyOf, type Space } from '../model/place.ts';
import type { Store } from './index.ts';
import type { Schema } from './schema.ts';

/** Columns of a table that name a space by its platform and id. */
type SpaceColumns = readonly [platform: string, spaceId: string];

const SPACE: SpaceColumns = ['platform', 'space_id'];

/** The columns of each table by which its rows belong to a space; none where they belong to none. */
const OF_SPACE: Readonly<Record<keyof Schema, readonly SpaceColumns[]>> = {
  glossary_term: [SPACE],
  member_setting: [SPACE],
  space_setting: [SPACE],
  usage_day: [SPACE],
  channel_watch: [SPACE],
  channel_cursor: [SPACE],
  inbox: [SPACE],
  mirror: [
    ['source_platform', 'source_space_id'],
    ['target_platform', 'target_space_id'],
  ],
  mirror_message: [
    ['source_platform', 'source_space_id'],
    ['target_platform', 'target_space_id'],
  ],
  standing_thread: [SPACE],
  lease: [],
  room_consent: [SPACE],
  open_room: [SPACE],
  open_room_informed: [SPACE],
  installation: [SPACE],
  link_invite: [SPACE],
  delivery: [SPACE],
};

const TABLES = Object.entries(OF_SPACE).filter(([, columns]) => columns.length > 0);

/** Rows that one write looks at; the event loop runs between two writes. */
const ROWS_AT_ONCE = 2_000;

const either = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(conditions, sql` OR `)})`;

/** Matches the rows of a space; a glossary names a channel too, after a slash. */
const isOf = ({ platform, id }: Space, columns: readonly SpaceColumns[]): RawBuilder<boolean> =>
  either(
    columns.map(
      ([platformColumn, idColumn]) =>
        sql<boolean>`(${sql.ref(platformColumn)} = ${platform} AND (${sql.ref(idColumn)} = ${id}
          OR substr(${sql.ref(idColumn)}, 1, ${id.length + 1}) = ${`${id}/`}))`,
    ),
  );

/**
 * Has the database ignore new rows of left spaces. Table and triggers live in memory, in the one
 * connection of this process: work on a space can only be under way in the process that it left.
 */
export const guardLeftSpaces = async (db: Kysely<Schema>): Promise<void> => {
  await sql`CREATE TEMP TABLE left_space
    (platform TEXT NOT NULL, space_id TEXT NOT NULL, PRIMARY KEY (platform, space_id))`.execute(db);
  for (const [table, columns] of TABLES) {
    const isLeft = either(
      columns.map(
        ([platform, id]) => sql<boolean>`EXISTS (SELECT 1 FROM left_space
          WHERE left_space.platform = NEW.${sql.ref(platform)} AND left_space.space_id IN
            (NEW.${sql.ref(id)}, substr(NEW.${sql.ref(id)}, 1, instr(NEW.${sql.ref(id)}, '/') - 1)))`,
      ),
    );
    await sql`CREATE TEMP TRIGGER ${sql.ref(`left_${table}`)} BEFORE INSERT ON ${sql.table(table)}
      WHEN ${isLeft} BEGIN SELECT RAISE(IGNORE); END`.execute(db);
  }
};

export type SpaceData = ReturnType<typeof createSpaceData>;

/** Creates the removal of everything that is stored of a space. */
export const createSpaceData = (store: Store) => {
  const left = new Set<string>();

  const removeFrom = async (
    table: string,
    columns: readonly SpaceColumns[],
    space: Space,
  ): Promise<void> => {
    const newest = await sql<{ last: number | null }>`
      SELECT max(rowid) AS last FROM ${sql.table(table)}`.execute(store);
    const last = newest.rows[0]?.last ?? 0;
    for (let from = 0; from <= last; from += ROWS_AT_ONCE) {
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
      left.add(keyOf(space));
      await store.write((db) =>
        sql`INSERT OR IGNORE INTO left_space VALUES (${space.platform}, ${space.id})`.execute(db),
      );
    },
    /** Lets data of a space that was left be stored again. */
    join: async (space: Space): Promise<void> => {
      if (!left.delete(keyOf(space))) return;
      await store.write((db) =>
        sql`DELETE FROM left_space
          WHERE platform = ${space.platform} AND space_id = ${space.id}`.execute(db),
      );
    },
    /** True from when a space is left until it is joined again. */
    isLeft: (space: Space): boolean => left.has(keyOf(space)),
    /** Deletes every row of a space that was left. Resolves when no copy in memory has any more of it. */
    remove: async (space: Space): Promise<void> => {
      for (const [table, columns] of TABLES) await removeFrom(table, columns, space);
      await store.write((db) => store.signals.publish(db, 'space-left', space));
      // Deleted text must not stay readable in the file.
      await store.checkpoint();
    },
  };
};
