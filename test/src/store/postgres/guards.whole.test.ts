import { expect, it } from 'vitest';
import { createInboxStore } from '../../../../src/store/inbox/index.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';
import { startPostgres } from '../../../fakes/postgres.ts';
import { onServer } from '../../../fakes/on-server.ts';
import { arrivalOf, EARLIER, messageOf, PARTITION } from '../inbox/support.ts';
import { shared } from '../../../fakes/opened.ts';

let databases = 0;

const server = shared(() => startPostgres({ isDurable: true }));

const open = async (database = `d${(databases += 1)}`, isNew = true) => {
  if (isNew) await onServer(server.urlOf(''), `CREATE DATABASE ${database}`);
  const store = await openStore(server.urlOf(database), { connections: 2 });
  return { store, database, inbox: createInboxStore({ store, now: () => 1_000 }) };
};

const mayExist = async (store: Store): Promise<readonly boolean[]> => {
  const inbox = createInboxStore({ store, now: () => 1_000 });
  const { rows } = await inbox.claim(PARTITION, 9, EARLIER);
  return rows.map((row) => row.mayExist);
};

it('rows may stand in part after a crash of the server, also for a process that lived through it', async () => {
  const { store, inbox } = await open();
  await using _ = store;
  await inbox.accept(arrivalOf(messageOf(1)));
  await inbox.accept(arrivalOf(messageOf(2)));
  await server.stop('SIGKILL');
  await server.start();
  await inbox.accept(arrivalOf(messageOf(3)));
  // What came after the crash has lost no claim.
  expect(await mayExist(store)).toEqual([true, true, false]);
});

it('rows are as they were after an orderly restart of the server, or of the process', async () => {
  const first = await open();
  await first.inbox.accept(arrivalOf(messageOf(1)));
  await first.store.destroy();
  await server.stop('SIGINT');
  await server.start();
  const again = await open(first.database, false);
  await using store = again.store;
  expect(await mayExist(store)).toEqual([false]);
});

it('what was written before the database was copied to another server, or set back, may stand', async () => {
  const first = await open();
  await first.inbox.accept(arrivalOf(messageOf(1)));
  await first.store.destroy();
  await onServer(server.urlOf(''), `CREATE DATABASE copied TEMPLATE ${first.database}`);
  const copy = await open('copied', false);
  await using store = copy.store;
  await copy.inbox.accept(arrivalOf(messageOf(2)));
  await copy.inbox.accept({ ...arrivalOf(messageOf(3)), writtenMs: Date.now() + 60_000 });
  expect(await mayExist(store)).toEqual([true, true, false]);
});
