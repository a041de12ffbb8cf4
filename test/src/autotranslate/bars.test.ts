import { beforeEach, describe, expect, it } from 'vitest';
import { blockKey } from '../../../src/store/blocks.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, person, SPACE } from '../../fakes/channel-feed.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from './support.ts';

const THERE = channel('42', undefined, WORKSPACE);
const NEAR = channel('43', undefined, { platform: SPACE.platform, id: 'near' });
const EVE = { platform: WORKSPACE.platform, id: 'eve' };
const STOPPED = { name: 'Eve', isBan: false };

describe('a person of another space whose copies are stopped', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']));
  const blocks = () => scene.blocks;
  const shown = (words: string): boolean[] =>
    [ENGLISH, SPANISH].map((here) => scene.feed.texts(here).some((text) => text.includes(words)));
  const say = async (text: string, id = 'eve') => {
    const said = await scene.say(THERE, text, { author: person(id) });
    await scene.idle();
    return said;
  };

  it('is shown in no channel of that space, and others are', async () => {
    await say('before');
    await blocks().add(SPACE, EVE, STOPPED);
    const { ref } = await say('meanwhile');
    await say('of another', 'ann');
    expect([shown('before'), shown('meanwhile'), shown('of another')]).toEqual([
      [true, true],
      [false, false],
      [true, true],
    ]);
    expect((await scene.outcomes())[ref.id]).toBe('skipped blocked');
    await blocks().remove(SPACE, blockKey(EVE));
    await say('afterwards');
    expect(shown('afterwards')).toEqual([true, true]);
  });

  it('writes nothing here by changing what stands', async () => {
    const { ref } = await say('kind words');
    await blocks().add(SPACE, EVE, STOPPED);
    expect(shown('kind words')).toEqual([true, true]);
    await scene.listener.messageChanged(scene.other.edit(ref, 'unkind words'));
    await scene.idle();
    expect([shown('unkind words'), shown('kind words')]).toEqual([
      [false, false],
      [false, false],
    ]);
  });

  it('is stopped while a message of theirs is being translated', async () => {
    const go = scene.hold('under way');
    await scene.say(THERE, 'under way', { author: person('eve') });
    await expect.poll(() => scene.asked.get('es')).toBe(1);
    await blocks().add(SPACE, EVE, STOPPED);
    go();
    await scene.idle();
    expect(shown('under way')).toEqual([false, false]);
  });

  it('is not quoted here by those who answer', async () => {
    await blocks().add(SPACE, EVE, STOPPED);
    const { ref } = await say('unkind words');
    await scene.say(THERE, 'my answer', { author: person('ann'), replyTo: ref });
    await scene.idle();
    expect(shown('my answer')).toEqual([true, true]);
    expect(shown('unkind words')).toEqual([false, false]);
  });

  it('is somebody of that platform alone, and elsewhere goes on', async () => {
    const near = { platform: SPACE.platform, id: 'eve' };
    await blocks().add(SPACE, near, STOPPED);
    await blocks().add(WORKSPACE, near, STOPPED);
    await say('of the other platform');
    expect(shown('of the other platform')).toEqual([true, true]);
  });
});

describe('a person who is banned from a space', () => {
  const scene = withScene([]);
  beforeEach(async () => {
    scene.feed.nameSpace(NEAR.space, 'near');
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [NEAR, 'es']));
  });
  const shown = async (text: string): Promise<boolean> => {
    await scene.say(NEAR, text, { author: person('eve') });
    await scene.idle();
    return scene.feed.texts(ENGLISH).some((each) => each.includes(text));
  };

  it('is not shown there while the ban lasts, of which the platform told', async () => {
    await scene.listener.memberBanned(SPACE, 'eve');
    expect(await shown('banned')).toBe(false);
    await scene.listener.memberUnbanned(SPACE, 'eve');
    expect(await shown('free')).toBe(true);
  });

  it.each(['Eve', undefined])(
    'is listed with the name that the platform told: %s',
    async (name) => {
      await scene.listener.memberBanned(SPACE, 'eve', name);
      expect(await scene.blocks.list(SPACE)).toMatchObject([{ name, isBan: true }]);
    },
  );

  it('is not shown there where the ban can be looked up', async () => {
    scene.feed.banned.add('eve');
    expect(await shown('banned')).toBe(false);
  });

  it('is shown again where the ban ended while nothing was reported, if that can be looked up', async () => {
    scene.feed.banned.add('eve');
    await scene.listener.memberBanned(SPACE, 'eve');
    scene.clock.aheadMs += 60_000;
    await scene.restart();
    expect(await shown('banned')).toBe(false);
    scene.feed.banned.delete('eve');
    scene.feed.unknownBans.add('eve');
    expect(await shown('not known')).toBe(false);
    scene.feed.unknownBans.delete('eve');
    expect(await shown('free')).toBe(true);
    expect(await scene.blocks.list(SPACE)).toEqual([]);
  });

  it('stays stopped after the ban where moderators decided that, too', async () => {
    await scene.blocks.add(SPACE, { platform: SPACE.platform, id: 'eve' }, STOPPED);
    await scene.listener.memberBanned(SPACE, 'eve');
    await scene.listener.memberUnbanned(SPACE, 'eve');
    expect(await shown('still')).toBe(false);
  });
});
