import { expect, it } from 'vitest';
import { createAgreements } from '../../../../src/store/agreements.ts';
import { clearOld } from '../../../../src/store/privacy/clear-old.ts';
import { createOwedHistories } from '../../../../src/store/channels/histories.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';
import { NO_HORIZONS } from '../../../fakes/horizons.ts';

const channel = (id: string) => ({ space: { platform: 'p', id: 's' }, id });

it.each([
  ['SQLite', async () => 'sqlite::memory:'],
  ['PostgreSQL', async () => makeDatabase()],
])('marks of channels go from %s once they have lapsed', async (_, make) => {
  const store = await openTestStore(await make());
  const owed = createOwedHistories(store, () => 0);
  await owed.set('group:1', channel('lapsed'), 1_000);
  await owed.set('group:1', channel('standing'), 3_000);
  await createAgreements(store).write({ other: 1_000 });
  await clearOld(store, { ...NO_HORIZONS, leftMs: 2_000 });
  const rows = await store.selectFrom('agreement').select('name').orderBy('name').execute();
  expect(rows.map(({ name }) => name)).toEqual(['history owed group:1 p s standing', 'other']);
});
