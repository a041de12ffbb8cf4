import { describe, expect, it, onTestFinished } from 'vitest';
import { createCopiedReactionStore } from '../../../../src/store/channels/copied-reactions.ts';
import { openStore } from '../../../../src/store/index.ts';
import { ENGINES } from '../tool/support.ts';

const SPACE = { platform: 'test', id: 's' };
const at = (id: string) => ({ channel: { space: SPACE, id: 'c' }, id });
const [HERE, ONE, OTHER] = [at('here'), at('one'), at('other')];

const open = async (url: string) => {
  const store = await openStore(url);
  onTestFinished(() => store.destroy());
  const clock = { nowMs: 0 };
  const reactions = createCopiedReactionStore(store, () => clock.nowMs);
  const note = async (from: typeof HERE, people: number, emoji = '👍') =>
    (await reactions.note(from, emoji, [{ ref: HERE, people }])).map(({ isWanted, isShown }) => ({
      isWanted,
      isShown,
    }));
  return { store, clock, reactions, note };
};

describe.each(ENGINES)('reactions that are copied, on $engine', ({ make }) => {
  it('an emoji is wanted under a message as long as somebody has it under any of its copies', async () => {
    const { store, reactions, note } = await open(await make());
    expect(await note(ONE, 2)).toEqual([{ isWanted: true, isShown: false }]);
    await reactions.setShown(HERE, '👍', true);
    expect(await note(OTHER, 1)).toEqual([{ isWanted: true, isShown: true }]);
    expect(await reactions.of(HERE)).toEqual([{ emoji: '👍', people: 3 }]);
    expect(await note(ONE, 0)).toEqual([{ isWanted: true, isShown: true }]);
    expect(await note(OTHER, 0)).toEqual([{ isWanted: false, isShown: true }]);
    expect(await reactions.setShown(HERE, '👍', false)).toBe(false);
    expect(await store.selectFrom('copied_reaction').selectAll().execute()).toEqual([]);
  });

  it('all are listed part by part, each once', async () => {
    const { reactions } = await open(await make());
    for (const emoji of ['👍', '❤️'])
      for (const ref of [HERE, ONE, OTHER])
        await reactions.note(at('from'), emoji, [{ ref, people: 1 }]);
    const found: string[] = [];
    for (let last; ;) {
      const some = await reactions.after(SPACE.platform, last, 4);
      found.push(...some.map(({ ref, emoji }) => `${ref.id} ${emoji}`));
      last = some.at(-1);
      if (!last) break;
    }
    const all = ['here', 'one', 'other'].flatMap((id) => [`${id} 👍`, `${id} ❤️`]);
    expect(found.toSorted()).toEqual(all.toSorted());
  });

  it('what was put is known not to be wanted any more, where another process counted meanwhile', async () => {
    const { reactions, note } = await open(await make());
    await note(ONE, 1);
    await note(ONE, 0);
    expect(await reactions.setShown(HERE, '👍', true)).toBe(false);
    expect(await note(ONE, 1)).toEqual([{ isWanted: true, isShown: false }]);
  });

  it('nothing is recorded of an emoji that nobody has, nor of a sixth one', async () => {
    const { reactions, note } = await open(await make());
    expect(await note(ONE, 0)).toEqual([]);
    for (const emoji of ['1', '2', '3', '4', '5']) await note(ONE, 1, emoji);
    expect(await note(ONE, 1, '6')).toEqual([]);
    expect(await reactions.of(HERE)).toHaveLength(5);
  });

  it('what changed last is listed first, up to a number and a time', async () => {
    const { clock, reactions, note } = await open(await make());
    for (const emoji of ['1', '2', '3']) {
      clock.nowMs += 10;
      await note(ONE, 1, emoji);
    }
    const recent = async (sinceMs: number, most: number) =>
      (await reactions.recent('test', sinceMs, most)).map(({ ref, emoji }) => `${ref.id} ${emoji}`);
    const sinceMs = clock.nowMs - 10;
    expect(await recent(sinceMs, 9)).toEqual(['here 3', 'here 2']);
    expect(await recent(0, 1)).toEqual(['here 3']);
    await reactions.drop(HERE);
    expect(await recent(0, 9)).toEqual([]);
  });
});

it('what two processes count at the same time is not lost', async () => {
  const url = await ENGINES[1].make();
  const { reactions, note } = await open(url);
  await note(ONE, 1);
  const other = await open(url);
  const turns = Array.from({ length: 10 }, async (_, turn) => {
    await Promise.all([note(ONE, turn % 2), other.note(OTHER, 3)]);
  });
  await Promise.all(turns);
  await note(ONE, 4);
  expect(await reactions.of(HERE)).toEqual([{ emoji: '👍', people: 7 }]);
});
