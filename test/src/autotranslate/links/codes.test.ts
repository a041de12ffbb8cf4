import { describe, expect, it } from 'vitest';
import type { Channel } from '../../../../src/model/place.ts';
import type { ChannelWatch } from '../../../../src/model/space.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { ENGLISH, GENERAL, SPANISH, withScene, WORKSPACE } from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

const isUnknown = { sentence: { key: 'autotranslate.link-unknown' } };

describe('a code that links channels', () => {
  const scene = withScene();

  it('shows nothing of channels that were linked after it was made', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']));
    const link = linkIn(scene, code, mirror(THERE, 'fr'), admitAll);
    await expect(link).rejects.toMatchObject(isUnknown);
    expect(scene.watches.list(WORKSPACE)).toEqual([]);
  });

  it('asks whether the person may see all channels of the group in that space', async () => {
    await scene.watches.set(mirrorOf([THERE, 'fr'], [ENGLISH, 'en'], [SPANISH, 'es']));
    const { code } = await scene.watches.invite(scene.watches.of(THERE)!, false, ADA);
    const asked: string[] = [];
    await linkIn(scene, code, mirror(GENERAL, 'ja'), {
      ...admitAll,
      admit: async (own) => void asked.push(...own.map((each) => each.channel.id)),
    });
    expect([...new Set(asked)]).toEqual(['english', 'spanish', 'general', '42']);
  });

  it('says before it is used whether that side will be the later one, which can remove nobody', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const proposed = (watch: ChannelWatch) => scene.watches.propose(code, watch, admitAll);
    expect((await proposed(mirror(GENERAL, 'ja'))).isLater).toBe(false);
    expect((await proposed(mirror(THERE, 'fr'))).isLater).toBe(true);
    await linkIn(scene, code, mirror(THERE, 'fr'), admitAll);
    const mayRemove = async (of: Channel) =>
      (await scene.watches.members(scene.watches.of(of)!)).map((each) => each.mayRemove);
    expect([await mayRemove(ENGLISH), await mayRemove(THERE)]).toEqual([[true], [false]]);
    const { code: next } = await scene.watches.invite(scene.watches.of(ENGLISH)!, false, ADA);
    const further = mirror(channel('43', undefined, WORKSPACE), 'pt');
    expect((await scene.watches.propose(next, further, admitAll)).isLater).toBe(true);
  });

  it('is used up by success alone', async () => {
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const refusing = linkIn(scene, code, mirror(THERE, 'fr'), {
      ...admitAll,
      admit: async () => {
        throw new Error('not here');
      },
    });
    await expect(refusing).rejects.toThrow('not here');
    const itself = linkIn(scene, code, mirror(ENGLISH, 'fr'), admitAll);
    await expect(itself).rejects.toMatchObject({ sentence: { key: 'autotranslate.link-itself' } });
    await linkIn(scene, code, mirror(THERE, 'fr'), admitAll);
    const again = linkIn(scene, code, mirror(GENERAL, 'ja'), admitAll);
    await expect(again).rejects.toMatchObject(isUnknown);
  });
});
