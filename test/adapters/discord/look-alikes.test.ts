import { expect, it } from 'vitest';
import { beginningsLike } from '../../../adapters/discord/look-alikes.ts';

it.each([
  ['Bob', 'B\u043Eb'],
  ['Ann Smith', 'Ann Sm\u0456th'],
  ['Ivan', 'lvan'],
  ['Alice', 'AIice'],
  ['Marco', 'rnarco'],
  ['Ann', '\u2605 \u0410nn'],
])('names are found by a beginning of those that look like them: %s by %s', (name, like) => {
  const found = beginningsLike(like).filter((each) => name.toLowerCase().startsWith(each));
  expect(found).toHaveLength(1);
});

it('nothing is found by a name of other letters', () => {
  expect(beginningsLike('\u6A4B')).toEqual([]);
});
