import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { readAddress, openAsItIs } from '../../../../src/store/tool/status.ts';
import { runTool } from '../../../../src/store/tool/run.ts';
import { COPIED_TABLES } from '../../../../src/store/tool/place.ts';
import { makeDatabase } from '../../../fakes/database.ts';

export const newFolder = (): string => mkdtempSync(join(tmpdir(), 'dragoman-tool-'));

/** Addresses of databases on both engines, on which no program has run. */
export const ENGINES = [
  { engine: 'SQLite', make: async () => `sqlite:${join(newFolder(), 'x.db')}` },
  { engine: 'PostgreSQL', make: async () => makeDatabase() },
] as const;

export const NOW_MS = 1_800_000_000_000;

/** Runs the program for the database; resolves with the lines that it says. */
export const tool = async (
  databaseUrl: string,
  args: readonly string[],
  signal = new AbortController().signal,
): Promise<readonly string[]> => {
  const lines: string[] = [];
  await runTool(args, {
    databaseUrl,
    say: (line) => void lines.push(line),
    signal,
    nowMs: () => NOW_MS,
  });
  return lines;
};

/** Texts that a careless copy would change. */
const TEXTS = ['plain', 'it\'s "quoted" \\n {1,2}', 'Zürich 東京 👩‍👩‍👧', ''];
/** The largest number that both engines and JavaScript know exactly, and small ones. */
const NUMBERS = [0, 1, Number.MAX_SAFE_INTEGER - 1];

const STATES = ['waiting', 'posted', 'dead'] as const;

/** Puts rows into every table that is copied. */
export const fill = async (store: Store, count = 5): Promise<void> => {
  const tables = (await store.introspection.getTables()).filter(({ name }) =>
    COPIED_TABLES.includes(name),
  );
  for (const { name, columns } of tables)
    await store.write(async (db) => {
      const names = sql.join(columns.map((column) => sql.ref(column.name)));
      const all = Array.from({ length: count }, (_, row) => {
        const values = columns.map(({ name: column, dataType }, at) => {
          if (column === 'state') return STATES[row % STATES.length];
          if (column === 'at_ms' || column === 'number') return row + 1;
          if (/int/i.test(dataType)) return NUMBERS[(row + at) % NUMBERS.length];
          return `${TEXTS[(row + at) % TEXTS.length]}${row}`;
        });
        return sql`(${sql.join(values)})`;
      });
      await sql`INSERT INTO ${sql.table(name)} (${names}) VALUES ${sql.join(all)}`.execute(db);
    });
};

export const fillAt = async (url: string, count?: number): Promise<void> => {
  await using store = await openStore(url);
  await fill(store, count);
};

/** All rows that are copied, by their tables, in an order of their own. */
export const contentOf = async (url: string): Promise<Record<string, readonly string[]>> => {
  await using store = openAsItIs(readAddress(url));
  const content: Record<string, readonly string[]> = {};
  for (const name of COPIED_TABLES) {
    const { rows } = await sql<Record<string, unknown>>`SELECT * FROM ${sql.table(name)}`.execute(
      store,
    );
    content[name] = rows
      .map((row) => JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1))))
      .toSorted();
  }
  return content;
};

/** Rows as they are in another database: claims belong to the first. */
export const withoutClaims = (content: Awaited<ReturnType<typeof contentOf>>) =>
  Object.fromEntries(
    Object.entries(content).map(([table, rows]) => [
      table,
      rows
        .map((row) => JSON.parse(row) as [string, unknown][])
        .map((row) => row.map(([name, value]) => [name, name === 'epoch' ? 0 : value]))
        .map((row) => JSON.stringify(row))
        .toSorted(),
    ]),
  );
