import { expect, test } from 'vitest';
import { createLru } from '../../../src/async/lru.ts';

test('what was not set for longest goes first', () => {
  const recent = createLru<string, number>(2);
  recent.set('a', 1);
  recent.set('b', 2);
  recent.set('a', 3);
  recent.set('c', 4);
  expect([...recent]).toEqual([
    ['a', 3],
    ['c', 4],
  ]);
  recent.delete('a');
  expect([recent.get('a'), recent.get('c')]).toEqual([undefined, 4]);
});
