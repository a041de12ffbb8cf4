import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runKeys } from '../../../service/keys/commands.ts';
import { loadPrices } from '../../../service/keys/prices.ts';
import { openKeyStore, type StoredKey } from '../../../service/keys/store.ts';
import { PATHS } from '../../../src/api/contract.ts';
import { silentLog } from '../../fakes/silent-log.ts';
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
  const find = (name: string): StoredKey | undefined => {
    using store = open();
    return store.list().find((key) => key.name === name);
  };
  return {
    database,
    run,
    create: (name: string, ...options: readonly string[]): string =>
      run('create', name, ...options).split('\n')[0]!,
    find,
    /** Nano-USD that a key with the usual credit has spent. */
    spentBy: (name: string): number => 10_000_000_000 - find(name)!.creditNanoUsd,
  };
};
export type Keys = ReturnType<typeof createKeys>;

/** The ID of a voice of the fake back end, or of eSpeak NG. */
export const voiceOf = async (
  service: TestService,
  engine: 'alloy' | 'eSpeak NG',
): Promise<string> => {
  const reply = await service.request(PATHS.voices);
  const { voices } = (await reply.json()) as { voices: { id: string; description: string }[] };
  return voices.find(({ description }) => description.includes(engine))!.id;
};

/** The service with stored keys. */
export const startWithKeys = async (
  { database }: Pick<Keys, 'database'>,
  variables: Readonly<Record<string, string>> = {},
  log = silentLog,
): Promise<TestService> =>
  startTestService(variables, log, [], { stored: { database, prices: await loadPrices() } });
