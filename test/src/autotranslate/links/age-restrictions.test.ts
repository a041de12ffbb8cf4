import { describe, expect, it } from 'vitest';
import type { LinkConditions } from '../../../../src/model/watches.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { sentence } from '../../../fakes/sentences.ts';
import { ENGLISH, SPANISH, withScene } from '../support.ts';
import { ADA, admitAll, linkIn, mirror, THERE } from './support.ts';

describe('age-restricted channels', () => {
  const scene = withScene();
  const agreed: LinkConditions = { ...admitAll, mayMixAges: true };
  const isMixed = { sentence: { key: 'autotranslate.age-restricted' } };
  const group = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es']);

  it('are linked with others in one space only where a moderator agrees', async () => {
    scene.feed.restrictByAge(SPANISH, true);
    await expect(scene.watches.set(group)).rejects.toMatchObject(isMixed);
    expect(scene.watches.list(ENGLISH.space)).toEqual([]);
    await scene.watches.set(group, { mayMixAges: true });
    scene.feed.restrictByAge(ENGLISH, true);
    await scene.watches.set(group);
  });

  it('are joined by an open channel only where its moderator agrees', async () => {
    scene.feed.restrictByAge(ENGLISH, true);
    const { code } = await scene.watches.invite(mirror(ENGLISH, 'en'), false, ADA);
    const link = (conditions: LinkConditions) =>
      linkIn(scene, code, mirror(THERE, 'fr'), conditions);
    await expect(link(admitAll)).rejects.toMatchObject(isMixed);
    await link(agreed);
  });

  it('join an open channel only where its own moderator agreed with the code', async () => {
    scene.other.restrictByAge(THERE, true);
    const code = async (mayMixAges: boolean): Promise<string> =>
      (await scene.watches.invite(mirror(ENGLISH, 'en'), mayMixAges, ADA)).code;
    const link = linkIn(scene, await code(false), mirror(THERE, 'fr'), agreed);
    await expect(link).rejects.toMatchObject({
      sentence: { key: 'autotranslate.age-restricted-code' },
    });
    await linkIn(scene, await code(true), mirror(THERE, 'fr'), admitAll);
  });

  it.each([
    [true, 'autotranslate.age-ended'],
    [false, 'autotranslate.age-ended-open'],
  ] as const)('are linked no longer once one alone has changed to %s', async (isNow, key) => {
    for (const each of [ENGLISH, SPANISH]) scene.feed.restrictByAge(each, !isNow);
    await scene.watches.set(group);
    await scene.listener.ageRestrictionChanged(SPANISH, isNow);
    expect(scene.watches.list(ENGLISH.space)).toEqual([]);
    expect(scene.feed.texts(SPANISH)).toEqual([sentence(key, {}, 'es').replaceAll('`', '')]);
  });

  it('stay linked where all change', async () => {
    await scene.watches.set(group);
    scene.feed.restrictByAge(ENGLISH, true);
    await scene.listener.ageRestrictionChanged(SPANISH, true);
    expect(scene.watches.list(ENGLISH.space)).toHaveLength(2);
  });
});
