import { expect, test } from 'vitest';
import { createThreadParents } from '../../../adapters/discord/thread-parents.ts';

const setUp = (kept?: number) => {
  const parents = createThreadParents(kept);
  parents.note('1', { id: '11', parent_id: '10' });
  parents.note('1', { id: '21', parent_id: '20' });
  return { parents, parentOf: (id: string) => parents.channel('1', id).parentId };
};

test('the threads of a channel that is gone are forgotten with it', () => {
  const { parents, parentOf } = setUp();
  parents.removeChannel('10');
  expect(parentOf('11')).toBeUndefined();
  expect(parentOf('21')).toBe('20');
});

test('a thread that is gone is forgotten, its channel’s others are not', () => {
  const { parents, parentOf } = setUp();
  parents.note('1', { id: '12', parent_id: '10' });
  parents.removeChannel('11');
  expect(['11', '12'].map(parentOf)).toEqual([undefined, '10']);
});

test('the threads of a server that is left are forgotten', () => {
  const { parents, parentOf } = setUp();
  parents.note('2', { id: '31', parent_id: '30' });
  parents.removeGuild('1');
  expect(['11', '21', '31'].map(parentOf)).toEqual([undefined, undefined, '30']);
});

test('of more threads than are kept, the one goes in which nothing happened for longest', () => {
  const { parents, parentOf } = setUp(2);
  expect(parentOf('11')).toBe('10');
  parents.note('1', { id: '12', parent_id: '10' });
  expect(['11', '12', '21'].map(parentOf)).toEqual(['10', '10', undefined]);
});
