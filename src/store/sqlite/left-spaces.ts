import { type Kysely, type RawBuilder, sql } from 'kysely';
import { TABLES_OF_SPACES } from '../privacy/data-catalogue.ts';
import type { Schema } from '../schema.ts';

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
