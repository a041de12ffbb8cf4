import { describe, expect, test } from 'vitest';
import discord from '../../adapters/discord/index.ts';
import { examine, findingLine, isFailure } from '../../src/ops/doctor.ts';
import type { Finding } from '../../src/model/service.ts';
import { openStore, type Store } from '../../src/store/index.ts';
import { createTestCore } from '../adapters/discord/support.ts';

/** What the doctor says of a store, where Discord is left out. */
const look = async (store: Store): Promise<readonly Finding[]> => {
  const databaseUrl = 'sqlite:data/dragoman.db';
  const [core, config] = [createTestCore(), { discord: {} }];
  return Array.fromAsync(
    examine({
      core,
      store,
      databaseUrl,
      ffmpegVersion: undefined,
      modules: [discord],
      config,
      hasOperators: false,
    }),
  );
};

describe('the doctor', () => {
  test('names the database, and Discord, left out, as no failure', async () => {
    const store = await openStore('sqlite::memory:');
    const found = await look(store);
    await store.destroy();
    expect(found[0]).toMatchObject({ ok: true, detail: 'sqlite:data/dragoman.db' });
    const left = found.find(({ check }) => check === 'Discord')!;
    expect(isFailure(left)).toBe(false);
    expect(findingLine(left)).toMatch(/^ -- {3}Discord +off: /);
  });

  test('fails for a database that cannot be asked', async () => {
    const store = await openStore('sqlite::memory:');
    await store.destroy();
    expect(isFailure((await look(store))[0]!)).toBe(true);
  });
});
