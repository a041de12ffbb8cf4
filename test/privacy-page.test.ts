import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { privacyPage } from '../scripts/privacy-page.ts';
import { coreSection } from '../src/core-config.ts';
import { DATA_CATALOGUE } from '../src/store/data-catalogue.ts';
import { DATA_COLUMNS } from '../src/store/data-columns.ts';
import { openStore } from '../src/store/index.ts';
import { columnsOf, TABLES_WITHOUT_DATA } from './fakes/every-table.ts';

describe('the page about privacy', () => {
  it('is what the schema says: otherwise run `npm run privacy-page`', () => {
    expect(readFileSync('docs/privacy.md', 'utf8')).toBe(privacyPage());
  });

  it.each(['SQLite', 'PostgreSQL'])('says what %s leaves of what is deleted', (engine) => {
    expect(privacyPage()).toMatch(new RegExp(`^- With ${engine}, what is deleted .*$`, 'm'));
  });

  it('knows every table and column that the database has, and no other', async () => {
    await using store = await openStore('sqlite::memory:');
    const known = Object.entries(DATA_COLUMNS).map(([table, columns]): [string, string[]] => [
      table,
      Object.keys(columns).toSorted(),
    ]);
    const stored = [...(await columnsOf(store))].map(([table, columns]): [string, string[]] => [
      table,
      columns.toSorted(),
    ]);
    // SQLite has this table in memory only.
    const inFile = known.filter(([table]) => !TABLES_WITHOUT_DATA.has(table));
    expect(Object.fromEntries(inFile)).toEqual(Object.fromEntries(stored));
  });

  it.each(Object.entries(DATA_CATALOGUE))('says what it has to of %s', (table, data) => {
    const { title: _, spaces, ...sentences } = data;
    const columns = new Map(Object.entries(DATA_COLUMNS[table as keyof typeof DATA_COLUMNS]));
    const kinds = new Set(columns.values());
    const isPersonal = kinds.has('person') || kinds.has('words');
    // Records of translations are about people, though they name nobody.
    expect(data.forgotten !== undefined).toBe(isPersonal || table.startsWith('mirror'));
    for (const column of spaces.flat()) expect(columns.get(column)).toBe('place');
    const namesOne = /\bids?\b/i.test(data.stored) || [...columns.values()].includes('place');
    if (spaces.length === 0) expect(data.removed !== undefined).toBe(namesOne);
    const named = [...data.kept.matchAll(/`([A-Z_]+)`/g)].map(([, variable]) => variable);
    expect(Object.keys(coreSection.shape)).toEqual(expect.arrayContaining(named));
    for (const sentence of Object.values(sentences)) expect(sentence).toMatch(/\.$/);
  });
});
