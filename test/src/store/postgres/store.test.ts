import { expect, it } from 'vitest';
import { RELAXED } from '../../../../src/store/writer.ts';
import { makeDatabase, openTestStore } from '../../../fakes/database.ts';

it('lets writes that wait for no disk pass those that do', async () => {
  const store = await openTestStore(await makeDatabase());
  const disk = Promise.withResolvers<void>();
  const ended: string[] = [];
  const write = async (name: string, options?: typeof RELAXED): Promise<void> => {
    await store.write(async () => {
      if (!options) await disk.promise;
    }, options);
    ended.push(name);
  };
  const durable = write('durable');
  await write('relaxed', RELAXED);
  disk.resolve();
  await durable;
  await store.written();
  expect(ended).toEqual(['relaxed', 'durable']);
});
