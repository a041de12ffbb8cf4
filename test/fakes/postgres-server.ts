import type { TestProject } from 'vitest/node';
import { openStore } from '../../src/store/index.ts';
import { onServer } from './on-server.ts';
import { startPostgres } from './postgres.ts';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Address of the PostgreSQL of this run of the tests, without a database. */
    readonly postgres: string;
  }
}

/** The database that others are copied from: it has the newest schema, and no rows. */
export const TEMPLATE = 'migrated';

/** Starts the PostgreSQL that the tests of one run share. */
export default async (project: TestProject): Promise<() => Promise<void>> => {
  const server = await startPostgres();
  const address = server.urlOf('');
  await onServer(address, `CREATE DATABASE ${TEMPLATE}`);
  const store = await openStore(server.urlOf(TEMPLATE));
  await store.destroy();
  // A copy is no database that came back from a backup.
  for (const table of ['lease', 'machine', 'kept_claims'])
    await onServer(server.urlOf(TEMPLATE), `DELETE FROM ${table}`);
  project.provide('postgres', address);
  return async () => server[Symbol.asyncDispose]();
};
