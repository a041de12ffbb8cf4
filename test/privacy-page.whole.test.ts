import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { privacyPage } from '../scripts/privacy-page.ts';
import { coreSection } from '../src/app/core-config.ts';
import { DATA_CATALOGUE } from '../scripts/data-catalogue.ts';
import { TABLES } from '../src/store/privacy/tables.ts';
import { DATA_COLUMNS, type ColumnKind } from '../scripts/data-columns.ts';
import { makeDatabase, openTestStore } from './fakes/database.ts';
import { columnsOf } from './fakes/every-table.ts';

describe('the page about privacy', () => {
  it('is what the schema says: otherwise run `npm run privacy-page`', () => {
    expect(readFileSync('docs/privacy.md', 'utf8')).toBe(privacyPage());
  });

  it.each(['SQLite', 'PostgreSQL'])('says what %s leaves of what is deleted', (engine) => {
    expect(privacyPage()).toMatch(new RegExp(`^- With ${engine}, what is deleted .*$`, 'm'));
  });

  it.each([
    // SQLite has this one in memory only.
    ['SQLite', async (): Promise<string> => 'sqlite::memory:', ['left_space'], []],
    ['PostgreSQL', makeDatabase, [], ['kept_claims']],
  ] as const)(
    'knows every table and column of %s, and no other',
    async (_, make, without, also) => {
      const stored = new Map(await columnsOf(await openTestStore(await make())));
      for (const table of also) {
        expect(privacyPage()).toContain(`\`${table}\``);
        expect(stored.delete(table)).toBe(true);
      }
      const known = new Map(
        Object.entries(DATA_COLUMNS).map(([table, columns]) => [table, Object.keys(columns)]),
      );
      for (const table of without) expect(known.delete(table)).toBe(true);
      const sorted = (columns: ReadonlyMap<string, readonly string[]>) =>
        Object.fromEntries([...columns].map(([table, names]) => [table, names.toSorted()]));
      expect(sorted(stored)).toEqual(sorted(known));
    },
  );

  it.each(Object.entries(DATA_CATALOGUE))('says what it has to of %s', (table, data) => {
    const { title: _, ...sentences } = data;
    const { spaces } = TABLES[table as keyof typeof TABLES];
    const columns = new Map(Object.entries(DATA_COLUMNS[table as keyof typeof DATA_COLUMNS]));
    const kinds = new Set(columns.values());
    const isPersonal = ['person', 'words', 'naming'].some((kind) => kinds.has(kind as ColumnKind));
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
