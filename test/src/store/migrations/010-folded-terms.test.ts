import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { openStore } from '../../../../src/store/index.ts';
import { glossaryAndSettings } from '../../../../src/store/migrations/001-to-013.ts';
import { findLanguage } from '../../../../src/text/language/languages.ts';
import { createGlossary } from '../../../../src/translation/glossary.ts';
import { databaseAfter } from './support.ts';

const SPACE = { platform: 'test', id: 's' };
const OTHER = { platform: 'test', id: 'other' };

/** A database with the spellings of an earlier time, each an entry of its own. */
const earlierDatabase = (): Promise<string> =>
  databaseAfter({ '001-glossary-and-settings': glossaryAndSettings }, async (db) => {
    const row = (space: string, term: string, language: string, translation: string | null) =>
      sql`
        INSERT INTO glossary_term (platform, space_id, term_key, language, term, translation)
        VALUES ('test', ${space}, ${term.normalize('NFKC').toLowerCase()}, ${language}, ${term}, ${translation})
      `.execute(db);
    await row('s', 'O’Brien', 'ja', 'オブライアン');
    await row('s', "O'Brien", 'ja', 'オブライエン');
    await row('s', 'O’BRIEN', 'de', null);
    await row('s', 'Straße', '', null);
    await row('s', 'STRASSE', '', null);
    await row('other', 'O’Brien', 'ja', 'オブライアン');
  });

describe('a glossary from before spellings were one entry', () => {
  it('keeps every translation, and one entry of those without a difference', async () => {
    await using store = await openStore(await earlierDatabase());
    const glossary = createGlossary(store, { find: findLanguage });
    expect(await glossary.list(SPACE)).toEqual([
      { term: 'O’BRIEN', language: 'de', translation: undefined },
      { term: "O'Brien", language: 'ja', translation: 'オブライエン' },
      { term: 'O’Brien', language: 'ja', translation: 'オブライアン' },
      { term: 'STRASSE', language: undefined, translation: undefined },
    ]);
    expect(await glossary.list(OTHER)).toHaveLength(1);
    const { terms } = await glossary.inText(SPACE, 'ask o’brien');
    expect(terms.map(({ translation }) => translation)).toEqual([undefined, 'オブライエン']);
  });

  it('has one entry once it is changed, and none once it is removed', async () => {
    await using store = await openStore(await earlierDatabase());
    const glossary = createGlossary(store, { find: findLanguage });
    const changed = { term: 'O´Brien', language: 'ja', translation: '新' };
    expect(await glossary.add(SPACE, changed)).toMatchObject({ translation: 'オブライエン' });
    const ofJapanese = async () =>
      (await glossary.list(SPACE)).filter(({ language }) => language === 'ja');
    expect(await ofJapanese()).toEqual([changed]);
    expect(await glossary.remove(SPACE, "O'Brien", 'ja')).toBe(1);
    expect(await ofJapanese()).toEqual([]);
    expect(await glossary.remove(OTHER, "O'Brien")).toBe(1);
  });
});
