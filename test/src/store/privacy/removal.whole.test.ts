import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { testBroken, testContract } from '../../../contracts/contract.ts';
import { removalContract, type RemovalSubject } from '../../../contracts/removal.ts';

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

/** A database in a file, with everything that SQLite keeps beside it. */
const openFile = async (): Promise<RemovalSubject> => {
  const folder = mkdtempSync(join(tmpdir(), 'dragoman-removal-'));
  folders.push(folder);
  return {
    store: await openStore(`sqlite:${join(folder, 'all.db')}`),
    readDisk: () => readdirSync(folder).map((name) => readFileSync(join(folder, name))),
  };
};

testContract('SQLite in memory', removalContract, async () => ({
  store: await openTestStore('sqlite::memory:'),
}));

testContract('PostgreSQL', removalContract, async () => ({
  store: await openTestStore(await makeDatabase()),
}));

testContract('SQLite in a file', removalContract, async () => {
  const subject = await openFile();
  onTestFinished(() => subject.store.destroy());
  return subject;
});

const [ofSpace = '', ofPerson = ''] = Object.keys(removalContract);

const unclosed: Store[] = [];
afterAll(async () => {
  for (const store of unclosed) await store.destroy();
});

/** A store that does not tidy up its file. */
const untidy = async (): Promise<RemovalSubject> => {
  const subject = await openFile();
  unclosed.push(subject.store);
  Object.assign(subject.store, { checkpoint: async () => undefined });
  return subject;
};

testBroken(removalContract, {
  'leaves the words of a space on the disk': { port: await untidy(), fails: ofSpace },
  'leaves the words of a person on the disk': { port: await untidy(), fails: ofPerson },
});
