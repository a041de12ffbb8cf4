import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openStore, type Store } from '../../../src/store/index.ts';
import { makeDatabase, openTestStore } from '../../fakes/database.ts';
import { testBroken, testContract } from '../../contracts/contract.ts';
import { storeContract, type StoreSubject } from '../../contracts/store.ts';

const folder = mkdtempSync(join(tmpdir(), 'dragoman-store-'));
let files = 0;

testContract('SQLite in memory', storeContract, async () => ({
  store: await openTestStore('sqlite::memory:'),
}));

testContract('SQLite in a file', storeContract, async () => {
  files += 1;
  const url = `sqlite:${join(folder, `${files}.db`)}`;
  return { store: await openTestStore(url), reopen: async () => openStore(url) };
});

testContract('PostgreSQL', storeContract, async () => {
  const url = await makeDatabase();
  return { store: await openTestStore(url), reopen: async () => openStore(url) };
});

/** A store in memory, in which one method is another. */
const breaking = async (change: (store: Store) => Partial<Store>): Promise<StoreSubject> => {
  const store = await openStore('sqlite::memory:');
  return { store: Object.assign(store, change(store)) };
};

testBroken(storeContract, {
  'writes after it has said so': {
    port: await breaking((store) => {
      const write = store.write.bind(store);
      return {
        write: async (work, options) => {
          void new Promise(setImmediate).then(async () => write(work, options));
          return undefined as never;
        },
      };
    }),
    fails: 'shows a write once it has resolved',
  },
  'lets every second write wait': {
    port: await breaking((store) => {
      const write = store.write.bind(store);
      let count = 0;
      return {
        write: async (work, options) => {
          count += 1;
          if (count % 2 === 1) await new Promise(setImmediate);
          return write(work, options);
        },
      };
    }),
    fails: 'lets writes that are equally durable take effect in the order in which they came',
  },
  'keeps half of a write that failed': {
    port: await breaking((store) => ({
      write: async (work) => work(store as never),
    })),
    fails: 'undoes a write that fails, and no other',
  },
  'forgets what waits': {
    port: await breaking(() => ({ written: async () => undefined })),
    fails: 'has nothing left to write when it says so',
  },
});
