import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createCopiedReactionStore,
  type CopiedReactionStore,
} from '../../../../src/store/channels/copied-reactions.ts';
import { openStore, type Store } from '../../../../src/store/index.ts';

const SPACE = { platform: 'test', id: 's' };
const at = (id: string) => ({ channel: { space: SPACE, id: 'c' }, id });
const [HERE, ONE, OTHER] = [at('here'), at('one'), at('other')];

let store: Store;
let nowMs = 0;
let reactions: CopiedReactionStore;

beforeEach(async () => {
  store = await openStore('sqlite::memory:');
  reactions = createCopiedReactionStore(store, () => nowMs);
});
afterEach(() => store.destroy());

const note = async (from: typeof HERE, people: number, emoji = '👍') =>
  (await reactions.note(from, emoji, [{ ref: HERE, people }])).map(({ isWanted, isShown }) => ({
    isWanted,
    isShown,
  }));

it('an emoji is wanted under a message as long as somebody has it under any of its copies', async () => {
  expect(await note(ONE, 2)).toEqual([{ isWanted: true, isShown: false }]);
  await reactions.setShown(HERE, '👍', true);
  expect(await note(OTHER, 1)).toEqual([{ isWanted: true, isShown: true }]);
  expect(await reactions.of(HERE)).toEqual([{ emoji: '👍', people: 3 }]);
  expect(await note(ONE, 0)).toEqual([{ isWanted: true, isShown: true }]);
  expect(await note(OTHER, 0)).toEqual([{ isWanted: false, isShown: true }]);
  expect(await reactions.setShown(HERE, '👍', false)).toBe(false);
  expect(await store.selectFrom('copied_reaction').selectAll().execute()).toEqual([]);
});

it('what was put is known not to be wanted any more, where another process counted meanwhile', async () => {
  await note(ONE, 1);
  await note(ONE, 0);
  expect(await reactions.setShown(HERE, '👍', true)).toBe(false);
  expect(await note(ONE, 1)).toEqual([{ isWanted: true, isShown: false }]);
});

it('nothing is recorded of an emoji that nobody has, nor of a sixth one', async () => {
  expect(await note(ONE, 0)).toEqual([]);
  for (const emoji of ['1', '2', '3', '4', '5']) await note(ONE, 1, emoji);
  expect(await note(ONE, 1, '6')).toEqual([]);
  expect(await reactions.of(HERE)).toHaveLength(5);
});

it('what changed last is listed first, up to a number and a time', async () => {
  for (const emoji of ['1', '2', '3']) {
    nowMs += 10;
    await note(ONE, 1, emoji);
  }
  const recent = async (sinceMs: number, most: number) =>
    (await reactions.recent('test', sinceMs, most)).map(({ ref, emoji }) => `${ref.id} ${emoji}`);
  const sinceMs = nowMs - 10;
  expect(await recent(sinceMs, 9)).toEqual(['here 3', 'here 2']);
  expect(await recent(0, 1)).toEqual(['here 3']);
  await reactions.drop(HERE);
  expect(await recent(0, 9)).toEqual([]);
});
