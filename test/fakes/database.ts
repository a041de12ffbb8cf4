import { randomUUID } from 'node:crypto';
import { inject, onTestFinished } from 'vitest';
import { openStore, type Store, type StoreOptions } from '../../src/store/index.ts';
import { onServer } from './on-server.ts';

/**
 * Makes a PostgreSQL database, which goes with the test; resolves with its URL.
 *
 * @param template `template0` for an empty one. Default: the newest schema, without rows
 */
export const makeDatabase = async (template = 'migrated'): Promise<string> => {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const server = inject('postgres');
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${template} STRATEGY file_copy`);
  onTestFinished(() => onServer(server, `DROP DATABASE ${name} WITH (FORCE)`));
  return `${server}${name}`;
};

/** Opens a store, which is closed at the end of the test. */
export const openTestStore = async (url: string, options?: StoreOptions): Promise<Store> => {
  const store = await openStore(url, options);
  onTestFinished(() => store.destroy());
  return store;
};
