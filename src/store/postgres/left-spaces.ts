import { sql, type Transaction } from 'kysely';
import { TABLES_OF_SPACES } from '../data-catalogue.ts';
import type { Schema } from '../schema.ts';

/**
 * Has PostgreSQL ignore new rows of left spaces, whichever process they come from: work on a space may be under way
 * in others than the one that it left.
 */
export const guardAgainstLeft = async (within: Transaction<Schema>): Promise<void> => {
  await sql`CREATE TABLE IF NOT EXISTS left_space (platform text COLLATE "C" NOT NULL,
      space_id text COLLATE "C" NOT NULL, left_ms bigint NOT NULL,
      PRIMARY KEY (platform, space_id))`.execute(within);
  // A glossary names a channel too, after a slash.
  await sql`
      CREATE OR REPLACE FUNCTION dragoman_ignore_left() RETURNS trigger LANGUAGE plpgsql AS $$
      DECLARE own jsonb;
      BEGIN
        IF NOT EXISTS (SELECT 1 FROM left_space) THEN
          RETURN NEW;
        END IF;
        own := to_jsonb(NEW);
        FOR at IN 0 .. TG_NARGS / 2 - 1 LOOP
          IF EXISTS (SELECT 1 FROM left_space
            WHERE platform = own ->> TG_ARGV[2 * at]
              AND space_id = split_part(own ->> TG_ARGV[2 * at + 1], '/', 1)) THEN
            RETURN NULL;
          END IF;
        END LOOP;
        RETURN NEW;
      END $$`.execute(within);
  for (const [table, columns] of TABLES_OF_SPACES) {
    const name = sql.ref(`left_${table}`);
    const args = sql.join(columns.flat().map((column) => sql.lit(column)));
    const { rows } = await sql`
        SELECT 1 FROM pg_trigger WHERE tgname = ${`left_${table}`}
          AND tgrelid = ${table}::regclass`.execute(within);
    if (rows.length > 0) continue;
    await sql`CREATE TRIGGER ${name} BEFORE INSERT ON ${sql.table(table)}
        FOR EACH ROW EXECUTE FUNCTION dragoman_ignore_left(${args})`.execute(within);
  }
};
