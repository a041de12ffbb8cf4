import { expect, test } from 'vitest';
import { changeRows, deleteRows, readRows } from '../../../src/store/rows.ts';
import { openStore } from '../../../src/store/index.ts';

test.each([
  ['without a value', {}],
  ['with a value that is undefined', { name: undefined as unknown as string }],
])('no row is changed or deleted by a condition %s', async (_, columns) => {
  const store = await openStore('sqlite::memory:');
  await store.write(async (db) => {
    await db.insertInto('agreement').values({ name: 'one', value: 1 }).execute();
    await expect(deleteRows(db, 'agreement', columns)).rejects.toThrow('without a value');
    await expect(changeRows(db, 'agreement', columns, { value: 2 })).rejects.toThrow(
      'without a value',
    );
  });
  const rows = await readRows(store, 'agreement', {}, ['name', 'value']);
  expect(rows).toEqual([{ name: 'one', value: 1 }]);
  await store.destroy();
});
