import { beforeEach, describe, expect, it } from 'vitest';
import { joinMark } from '../../../../src/autotranslate/replaced.ts';
import { channelKey } from '../../../../src/model/place.ts';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { ENGLISH, GENERAL, JAPANESE, withScene, WORKSPACE } from '../support.ts';
import { mirror, THERE } from './support.ts';

describe('a channel that is added to a group as a person was shown it', () => {
  const scene = withScene();
  const ownGroup = mirrorOf([GENERAL, 'de'], [JAPANESE, 'ja']).map((watch) => ({
    ...watch,
    group: 'own',
  }));
  const MORE = channel('44', undefined, WORKSPACE);
  beforeEach(() => scene.watches.set(mirrorOf([ENGLISH, 'en'], [THERE, 'fr'])));
  const join = (...elsewhere: readonly (typeof THERE)[]) => {
    const seen = joinMark(scene.watches.of(GENERAL), elsewhere.map(channelKey));
    return scene.watches.join(mirror(GENERAL, 'ja'), ENGLISH, { seen });
  };
  /** Does something once, while a channel is checked. */
  const meanwhile = (change: () => Promise<unknown>): void => {
    const { feed } = scene.feed;
    const missing = feed.missing.bind(feed);
    Object.assign(feed, {
      missing: async (...about: Parameters<typeof missing>) => {
        Object.assign(feed, { missing });
        await change();
        return missing(...about);
      },
    });
  };

  it.each([
    [
      'the channel is set up otherwise',
      () => scene.watches.set([watchOf(GENERAL, { languages: ['de'] })]),
    ],
    ['it is linked with another one', () => scene.watches.set(ownGroup)],
    [
      'a channel elsewhere comes into the group',
      () => scene.watches.set([{ ...mirror(MORE, 'de'), group: 'g' }]),
    ],
  ])('is not added where meanwhile %s', async (_, change) => {
    meanwhile(change);
    await expect(join(THERE)).rejects.toMatchObject({
      sentence: { key: 'autotranslate.panel-changed' },
    });
    expect(scene.watches.of(GENERAL)?.group).not.toBe('g');
  });

  it('is added where all is as it was shown', async () => {
    await join(THERE);
    expect(scene.watches.of(GENERAL)).toMatchObject({ mode: 'mirror', group: 'g' });
  });
});
