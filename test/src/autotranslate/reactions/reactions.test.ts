import { describe, expect, it } from 'vitest';
import { channelKey } from '../../../../src/model/place.ts';
import { channel, SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, SPANISH } from '../support.ts';
import { THUMB, withReactions } from './support.ts';

describe('reactions to messages of linked channels', () => {
  const { scene, said, copyIn, press, shown, countOf, elsewhere } = withReactions();

  it('stand under all its copies as long as somebody has them, and under a message of which a copy was pressed', async () => {
    const ref = await said();
    const [spanish, japanese] = [copyIn(SPANISH), copyIn(JAPANESE)];
    await press(ref, 2);
    expect(shown(ref, spanish, japanese)).toEqual(['', THUMB, THUMB]);
    await press(spanish, 1);
    expect(shown(ref, spanish, japanese)).toEqual([THUMB, THUMB, THUMB]);
    expect(await Promise.all([ref, spanish, japanese].map(elsewhere))).toEqual([
      ['👍 1'],
      ['👍 2'],
      ['👍 3'],
    ]);
    await press(ref, 0);
    expect(shown(ref, spanish, japanese)).toEqual([THUMB, '', THUMB]);
    await press(spanish, 0);
    expect(shown(ref, spanish, japanese)).toEqual(['', '', '']);
    expect(await elsewhere(japanese)).toBeUndefined();
    // Each was put and taken away once.
    expect(countOf('react')).toBe(6);
  });

  it('are put once, whoever joins them, and taken away by nobody but the last', async () => {
    const ref = await said();
    for (const people of [1, 2, 3, 2, 1]) await press(ref, people);
    expect(countOf('react')).toBe(2);
  });

  it('make few requests in a flood', async () => {
    const ref = await said();
    scene.feed.react(ref, THUMB, 100);
    await Promise.all(
      Array.from({ length: 100 }, () => scene.listener.reactionChanged(ref, THUMB, true)),
    );
    await scene.idle();
    await scene.later();
    expect(countOf('reactors')).toBeLessThanOrEqual(2);
    expect(countOf('react')).toBe(2);
  });

  it.each(['🇯🇵', '🇦🇶', '🌐', '400000000000000001', 'party-parrot', '7'])(
    'are not copied as %s',
    async (emoji) => {
      const ref = await said();
      await press(ref, 1, emoji);
      expect(countOf('react')).toBe(0);
    },
  );

  it('are not copied with an emoji that stands for a language', async () => {
    await scene.spaces.change(SPACE, { flags: { on: true, languages: { '🍣': 'ja' } } });
    await press(await said(), 1, '🍣');
    expect(countOf('react')).toBe(0);
  });

  it('are at most five different ones under each copy, until one of them ends', async () => {
    const ref = await said();
    for (const emoji of ['❤', '👀', '🎉', '😂', '🚀', '🙏']) await press(ref, 1, emoji);
    expect(shown(copyIn(SPANISH))).toEqual(['❤️👀🎉😂🚀']);
    await press(ref, 0, '👀');
    await press(ref, 2, '🙏');
    expect(shown(copyIn(SPANISH))).toEqual(['❤️🎉😂🚀🙏']);
  });

  it('are copied neither into a channel that muted theirs nor from or into a paused one', async () => {
    const ref = await said();
    const muted = { [channelKey(ENGLISH)]: { fromMs: 1 } };
    await scene.watches.change(SPANISH, (watch) => ({ ...watch, choices: { muted } }));
    await press(ref, 1);
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB]);
    await scene.watches.pause(JAPANESE, true);
    await press(ref, 1, '🎉');
    await press(copyIn(JAPANESE), 1, '🎉');
    expect(shown(ref, copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', '', THUMB]);
  });

  it('are copied neither from nor into a channel that is paused for its whole group', async () => {
    const ref = await said();
    const held = { [channelKey(JAPANESE)]: { fromMs: 1 } };
    await scene.watches.change(ENGLISH, (watch) => ({ ...watch, choices: { held } }));
    await press(ref, 1);
    await press(copyIn(JAPANESE), 1, '🎉');
    expect(shown(ref, copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB, '']);
  });

  it('are not copied where moderators turned that off, or keep a channel quiet', async () => {
    const ref = await said();
    await press(ref, 1);
    await scene.spaces.change(SPACE, { reactions: false });
    await press(ref, 1, '🎉');
    expect(shown(copyIn(SPANISH))).toEqual([THUMB]);
    await press(ref, 2);
    expect(shown(copyIn(SPANISH))).toEqual(['']);
    await scene.spaces.change(SPACE, { reactions: true, quietChannels: [SPANISH.id] });
    await press(ref, 3);
    expect(shown(copyIn(SPANISH), copyIn(JAPANESE))).toEqual(['', THUMB]);
  });

  it('to messages of other channels, and to ones that are gone, call nobody', async () => {
    const lonely = await scene.say(channel('elsewhere'), 'hello');
    await press(lonely.ref, 1);
    expect(countOf('reactors')).toBe(0);
    const ref = await said();
    scene.feed.remove(copyIn(SPANISH));
    scene.feed.remove(copyIn(JAPANESE));
    await press(ref, 1);
    expect(scene.logged.join('')).not.toContain('were not copied');
  });
});
