import { describe, expect, it } from 'vitest';
import { channelKey } from '../../../../src/model/place.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

const MODS = channel('mods');
const GUEST = channel('43', undefined, { ...WORKSPACE, id: 'guests' });

describe('moderators who are told of many pauses', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));

  it('are told of a new link, too', async () => {
    await scene.spaces.change(ENGLISH.space, { moderators: { channel: MODS.id, locale: 'en' } });
    for (let times = 0; times < 6; times += 1)
      for (const isPausing of [true, false])
        await scene.watches.pause(ENGLISH, isPausing, { name: 'Ann', locale: 'en' });
    scene.other.nameSpace(GUEST.space, 'Guests');
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await linkIn(scene, code, mirror(GUEST, 'pt'), admitAll);
    await expect.poll(() => scene.feed.texts(MODS).join()).toContain('Guests');
  });

  it('read last what holds, however often another space pauses a channel of theirs and resumes it', async () => {
    const theirs = channel('99', undefined, WORKSPACE);
    await scene.spaces.change(WORKSPACE, { moderators: { channel: theirs.id, locale: 'en' } });
    const TIMES = 8;
    for (let times = 0; times < TIMES; times += 1)
      for (const isHolding of [true, false])
        await scene.watches.hold(ENGLISH, channelKey(THERE), isHolding);
    await scene.watches.hold(ENGLISH, channelKey(THERE), true);
    await expect.poll(() => scene.other.texts(theirs)).toHaveLength(2 * TIMES + 1);
    const params = { server: 'Place', channels: 'Place' };
    expect(scene.other.texts(theirs).at(-1)).toContain(sentence('autotranslate.held-here', params));
  });
});
