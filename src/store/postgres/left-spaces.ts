import { sql, type Transaction } from 'kysely';
import { TABLES_OF_SPACES } from '../privacy/data-catalogue.ts';
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
  const { rows } = await sql<{ name: string }>`
    SELECT tgname AS name FROM pg_trigger JOIN pg_class ON pg_class.oid = tgrelid
    WHERE relnamespace = current_schema()::regnamespace`.execute(within);
  const made = new Set(rows.map(({ name }) => name));
  for (const [table, columns] of TABLES_OF_SPACES) {
    if (made.has(`left_${table}`)) continue;
    const args = sql.join(columns.flat().map((column) => sql.lit(column)));
    await sql`CREATE TRIGGER ${sql.ref(`left_${table}`)} BEFORE INSERT ON ${sql.table(table)}
      FOR EACH ROW EXECUTE FUNCTION dragoman_ignore_left(${args})`.execute(within);
  }
};
