import { expect, it, vi } from 'vitest';
import { createLinkedThreadStore } from '../../../../src/store/channels/linked-threads.ts';
import { openStore } from '../../../../src/store/index.ts';

const SPACE = { platform: 'test', id: 's' };
const THREADS = 1_100;

it('deletes the threads of a channel some at a time, and no others', async () => {
  await using store = await openStore('sqlite::memory:');
  const threads = createLinkedThreadStore(store);
  const put = (id: string, parentId: string) =>
    threads.put('g', 'o', [{ channel: { space: SPACE, id, parentId } }]);
  await Promise.all(Array.from({ length: THREADS }, (_, at) => put(`${at}`, 'full')));
  await put('other', 'else');
  const write = vi.spyOn(store, 'write');
  await threads.remove({ space: SPACE, id: 'full' });
  expect(write.mock.calls.length).toBeGreaterThan(2);
  write.mockRestore();
  const left = await threads.newest('g', THREADS);
  expect(left.flat().map(({ target }) => target.channel.id)).toEqual(['other']);
});
