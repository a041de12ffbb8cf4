import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from './schema.ts';

/** Columns of a table that name a space by its platform and id. */
export type SpaceColumns = readonly [platform: string, spaceId: string];

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
  machine: [],
  revision: [],
  left_space: [],
  quota: [],
  agreement: [],
  room_consent: [SPACE],
  open_room: [SPACE],
  open_room_informed: [SPACE],
  installation: [SPACE],
  space_key: [SPACE],
  link_invite: [SPACE],
  delivery: [SPACE],
  history_gap: [SPACE],
};

/** The tables with data of spaces, each with those columns. */
export const TABLES_OF_SPACES = Object.entries(OF_SPACE).filter(
  ([, columns]) => columns.length > 0,
);

export const either = (conditions: readonly RawBuilder<boolean>[]): RawBuilder<boolean> =>
  sql<boolean>`(${sql.join(conditions, sql` OR `)})`;

/**
 * Has SQLite ignore new rows of left spaces. Table and triggers live in memory, in the one connection of this process:
 * work on a space can only be under way in the process that it left.
 */
export const guardLeftSpaces = async (db: Kysely<Schema>): Promise<void> => {
  await sql`CREATE TEMP TABLE left_space (platform TEXT NOT NULL, space_id TEXT NOT NULL,
    left_ms INTEGER NOT NULL, PRIMARY KEY (platform, space_id))`.execute(db);
  for (const [table, columns] of TABLES_OF_SPACES) {
    const isLeft = either(
      columns.map(
        ([platform, id]) => sql<boolean>`EXISTS (SELECT 1 FROM left_space
          WHERE left_space.platform = NEW.${sql.ref(platform)} AND left_space.space_id IN
            (NEW.${sql.ref(id)}, substr(NEW.${sql.ref(id)}, 1, instr(NEW.${sql.ref(id)}, '/') - 1)))`,
      ),
    );
    await sql`CREATE TEMP TRIGGER ${sql.ref(`left_${table}`)} BEFORE INSERT ON main.${sql.table(table)}
      WHEN ${isLeft} BEGIN SELECT RAISE(IGNORE); END`.execute(db);
  }
};
