import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel, lost, SPACE } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, JAPANESE, WORKSPACE } from '../support.ts';
import { admit, propose, withRequests } from './request-support.ts';

describe('a link that is asked for where moderators have a channel', () => {
  const { scene, ask, linked } = withRequests();
  const MODS = channel('mods');
  const choose = (id = MODS.id) =>
    scene.spaces.change(SPACE, { moderators: { channel: id, locale: 'de' } });
  /** The beginning of the question in its language. */
  const question = (
    key: 'moderators.link-asked' | 'autotranslate.link-question',
    locale: string,
  ) => {
    const params = { name: 'Bob · tower.example (Other)', channel: '#?', others: 1, until: '' };
    const channels = '#channel-42 · tower.example (Other)';
    const [said] = sentence(key, { ...params, channels }, locale)
      .replaceAll('`', '')
      .split(';');
    return said;
  };

  it('is asked for there, with the channel, the other server and who asks, and nowhere else', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [JAPANESE, 'ja']));
    await choose();
    await ask();
    expect(scene.feed.texts(MODS)[0]).toContain(question('moderators.link-asked', 'de'));
    expect(scene.feed.asked(MODS)).toHaveLength(2);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
  });

  it.each([
    [
      'cannot be written to',
      async () => scene.feed.fail({ call: 'post', error: lost(), channel: MODS }),
    ],
    ['is the one that it is for', () => choose(ENGLISH.id)],
  ])('is asked for in its channel, in the language there, where theirs %s', async (_, arrange) => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [JAPANESE, 'ja']));
    await choose();
    await arrange();
    await ask();
    expect(scene.feed.texts(ENGLISH)).toHaveLength(1);
    expect(scene.feed.texts(ENGLISH)[0]).toContain(question('autotranslate.link-question', 'en'));
    expect(scene.feed.texts(MODS)).toEqual([]);
  });

  it.each([true, false])(
    'is answered there where it is answered elsewhere (agreed: %s)',
    async (isAgreed) => {
      await choose();
      const id = await ask();
      await scene.watches.answer(id, SPACE, isAgreed, admit);
      const became = sentence(`autotranslate.link-${isAgreed ? 'done' : 'refused'}`, {}, 'de');
      expect(scene.feed.texts(MODS)[0]).toBe(`#? ${became}`);
      expect(scene.feed.asked(MODS)).toEqual([]);
      expect(linked()).toBe(isAgreed ? 2 : 0);
    },
  );

  it('is asked for there once after a restart, where it could be asked nowhere', async () => {
    await choose();
    scene.feed.fail({ call: 'post', error: lost() }, { call: 'post', error: lost() });
    const { id } = await propose(scene.watches);
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('unasked');
    await scene.restart();
    for (let times = 0; times < 2; times += 1) scene.listener.connected('place');
    await expect.poll(() => scene.feed.asked(MODS)).toHaveLength(2);
    expect(await scene.watches.ask(id, WORKSPACE, admit)).toBe('asked');
    expect(scene.feed.texts(MODS)).toHaveLength(1);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
  });

  it('stays there where the person who presses may not decide about its channel', async () => {
    await choose();
    const id = await ask();
    const refuse = async (): Promise<void> => {
      throw new Error('not here');
    };
    for (const yes of [true, false])
      await expect(scene.watches.answer(id, SPACE, yes, refuse, MODS)).rejects.toThrow('not here');
    expect(scene.feed.asked(MODS)).toHaveLength(2);
    expect(linked()).toBe(0);
  });
});
