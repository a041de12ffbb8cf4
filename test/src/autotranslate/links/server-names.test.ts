import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';

const THERE = channel('42', undefined, WORKSPACE);
const MODS = channel('mods');
const conditions = {
  admit: async () => undefined,
  mayMixAges: false,
  by: { id: 'bob', name: 'Bob' },
};

describe('the name of a space that is linked', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
  const told = () => scene.feed.texts(MODS);
  const rename = async (name: string): Promise<void> => {
    await scene.spaces.change(ENGLISH.space, { moderators: { channel: MODS.id, locale: 'en' } });
    await scene.listener.spaceRenamed(WORKSPACE, 'tower', name);
  };

  it('is told to moderators of the others where it changes, and nowhere else', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    await rename('castle');
    await expect
      .poll(told)
      .toEqual([sentence('moderators.renamed', { former: 'tower', name: 'castle' })]);
    expect([scene.feed.texts(ENGLISH), scene.other.texts(THERE)]).toEqual([[], []]);
  });

  it('is told with what it looks like', async () => {
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    await rename('B\u0430bel!');
    await expect
      .poll(() => told().join())
      .toContain(sentence('links.lookalike', { other: 'Babel (Place)' }));
  });

  it('stands with that in the question of a link', async () => {
    await scene.watches.remove(ENGLISH);
    scene.feed.nameSpace(ENGLISH.space, 'Babel');
    scene.other.nameSpace(WORKSPACE, 'BABEL');
    const mirror = (of: typeof THERE, language: string) => mirrorOf([of, language])[0]!;
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, conditions.by);
    const { id } = await scene.watches.propose(code, mirror(THERE, 'fr'), conditions);
    await scene.watches.ask(id, WORKSPACE, conditions.admit);
    expect(scene.feed.texts(ENGLISH).at(-1)).toContain(
      sentence('links.lookalike', { other: 'Babel (Place)' }),
    );
  });
});
