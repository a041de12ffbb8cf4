import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, mirror, THERE } from './support.ts';

const MODS = channel('mods');
const isGone = { sentence: { key: 'autotranslate.link-gone' } };
const isOver = { sentence: { key: 'autotranslate.link-over' } };
const gone = (locale?: string): string => sentence('autotranslate.link-gone', {}, locale);

describe('a link that is asked for with a channel that was deleted while the bot was away', () => {
  const scene = withScene();
  const ask = async (): Promise<string> => {
    await scene.spaces.change(ENGLISH.space, { moderators: { channel: MODS.id, locale: 'de' } });
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const { id } = await scene.watches.propose(code, mirror(THERE, 'fr'), admitAll);
    await scene.watches.ask(id, WORKSPACE, admitAll.admit);
    return id;
  };
  const remove = (of: Channel): void => {
    const { feed } = of === THERE ? scene.other : scene.feed;
    Object.assign(feed, {
      isGone: async ({ id }: Channel) => id === of.id,
      missing: async ({ id }: Channel) => (id === of.id ? ['View Channel'] : []),
    });
  };
  const answer = (id: string, isAgreed = true) =>
    scene.watches.answer(id, ENGLISH.space, isAgreed, admitAll.admit, MODS);
  const withdraw = (id: string) => scene.watches.withdraw(id, WORKSPACE, admitAll.admit);

  it.each([
    ['agreed to', ENGLISH, (id: string) => answer(id)],
    ['agreed to', THERE, (id: string) => answer(id)],
    ['refused', ENGLISH, (id: string) => answer(id, false)],
    ['withdrawn', ENGLISH, withdraw],
    ['withdrawn', THERE, withdraw],
  ] as const)('ends where it is %s, and says why (%o)', async (_, of, press) => {
    const id = await ask();
    remove(of);
    await expect(press(id)).rejects.toMatchObject(isGone);
    await expect(press(id)).rejects.toMatchObject(isOver);
    expect(scene.feed.asked(MODS)).toEqual([]);
    expect(scene.feed.texts(MODS)).toEqual([`#? ${gone('de')}`]);
    expect(await scene.watches.openLinks(THERE)).toEqual([]);
  });

  it('is told to be over to the side that asked, where its own channel stands', async () => {
    const id = await ask();
    remove(ENGLISH);
    await expect(answer(id)).rejects.toMatchObject(isGone);
    await expect.poll(() => scene.other.texts(THERE)).toEqual([gone('en')]);
  });

  it('stays where nobody can say whether the channel is there', async () => {
    const id = await ask();
    const fail = async (): Promise<never> => {
      throw new Error('down');
    };
    for (const { feed } of [scene.feed, scene.other]) Object.assign(feed, { isGone: fail });
    await answer(id);
    expect(scene.watches.list(WORKSPACE)).toHaveLength(1);
  });
});

describe('a link that is asked for with a space that leaves', () => {
  const scene = withScene();
  it.each([
    ['asks', WORKSPACE, ENGLISH],
    ['is asked', ENGLISH.space, THERE],
  ])('is over where the one that %s does, and the other side reads so', async (_, space, left) => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const { id } = await scene.watches.propose(code, mirror(THERE, 'fr'), admitAll);
    await scene.watches.ask(id, WORKSPACE, admitAll.admit);
    await scene.leave(space);
    const feed = left === THERE ? scene.other : scene.feed;
    await expect.poll(() => feed.texts(left)).toEqual([gone('en')]);
    expect(feed.asked(left)).toEqual([]);
  });
});
