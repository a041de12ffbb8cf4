import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';
import { foldText } from '../../text/terms/fold.ts';
import { createTable } from './tables.ts';

interface Place {
  readonly platform: string;
  readonly space_id: string;
}

interface Row extends Place {
  readonly term_key: string;
  readonly language: string;
  readonly term: string;
  readonly translation: string | null;
}

interface NewRow extends Row {
  readonly copy: number;
}

interface Tables {
  glossary_term: Row;
  glossary_term_folded: NewRow;
}

const ROWS_AT_ONCE = 100;

/**
 * The rows of a place, folded. Of several spellings of one term the first is the entry, because it
 * was what took effect. Others stay beside it where they have another translation.
 */
const foldedRows = (rows: readonly Row[]): readonly NewRow[] => {
  const byId = new Map<string, NewRow[]>();
  for (const row of rows) {
    const key = foldText(row.term).text;
    const id = `${row.language} ${key}`;
    const same = byId.get(id) ?? [];
    byId.set(id, same);
    if (same.some(({ translation }) => translation === row.translation)) continue;
    same.push({ ...row, term_key: key, copy: same.length });
  }
  return [...byId.values()].flat();
};

/**
 * Spellings that are found alike, such as `O'Brien` and `O’Brien`, were terms of their own and are
 * now one.
 */
export const foldedTerms: Migration = {
  async up(given) {
    const db = given as Kysely<Tables>;
    await createTable(
      given,
      'glossary_term_folded',
      'platform, space_id, term_key, language, copy integer, term, translation?',
      'platform, space_id, term_key, language, copy',
    );
    const places = await db
      .selectFrom('glossary_term')
      .select(['platform', 'space_id'])
      .distinct()
      .execute();
    for (const { platform, space_id: spaceId } of places) {
      const rows = await db
        .selectFrom('glossary_term')
        .selectAll()
        .where('platform', '=', platform)
        .where('space_id', '=', spaceId)
        .orderBy('term_key')
        .orderBy('language')
        .execute();
      const folded = foldedRows(rows);
      for (let from = 0; from < folded.length; from += ROWS_AT_ONCE)
        await db
          .insertInto('glossary_term_folded')
          .values(folded.slice(from, from + ROWS_AT_ONCE))
          .execute();
    }
    await db.schema.dropTable('glossary_term').execute();
    await db.schema.alterTable('glossary_term_folded').renameTo('glossary_term').execute();
  },
};
