import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKeys } from '../../../service/keys/commands.ts';
import { loadPrices } from '../../../service/keys/prices.ts';
import { openKeyStore, type StoredKey } from '../../../service/keys/store.ts';
import { createLog } from '../../../src/log.ts';
import { startTestService, type TestService } from '../support.ts';

/** A folder for a database of keys, with the commands that change it. */
export const createKeys = () => {
  const database = join(mkdtempSync(join(tmpdir(), 'dragoman-keys-')), 'data', 'service.db');
  const open = () => openKeyStore(database);
  /** Runs `keys …` and returns its output. */
  const run = (...words: readonly string[]): string => {
    const lines: string[] = [];
    runKeys(words, {
      open,
      engines: ['apertium', 'espeak-ng', 'openai', 'pseudo'],
      now: () => new Date('2026-03-04T05:06:07Z'),
      print: (line) => void lines.push(line),
    });
    return lines.join('\n');
  };
  return {
    database,
    run,
    create: (name: string, ...options: readonly string[]): string =>
      run('create', name, ...options).split('\n')[0]!,
    find: (name: string): StoredKey | undefined => {
      using store = open();
      return store.list().find((key) => key.name === name);
    },
  };
};
export type Keys = ReturnType<typeof createKeys>;

/** The service with stored keys. */
export const startWithKeys = async (
  { database }: Pick<Keys, 'database'>,
  variables: Readonly<Record<string, string>> = {},
  log = createLog('silent'),
): Promise<TestService> =>
  startTestService(variables, log, [], { stored: { database, prices: await loadPrices() } });
