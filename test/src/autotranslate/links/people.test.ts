import { describe, expect, it } from 'vitest';
import { createPeopleElsewhere } from '../../../../src/autotranslate/links/people.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { channel } from '../../../fakes/channel-feed.ts';
import { ENGLISH, SPANISH, withScene, WORKSPACE } from '../support.ts';

const THERE = channel('42', undefined, WORKSPACE);

describe('a person of a linked space', () => {
  const group = mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'fr']);
  const scene = withScene(group);
  const lookUp = async (id: string) => {
    const platforms = { find: () => scene.other };
    const watches = { list: () => group.slice(0, 2), group: () => group };
    return createPeopleElsewhere({ watches, platforms })(ENGLISH.space, id);
  };

  it('is found by ID, once, and named with that space', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    const name = 'member-7 · tower.example (Other)';
    expect(await lookUp('7')).toEqual([{ platform: 'other', id: '7', name }]);
  });

  it('is not found by a name, or by an ID that nobody has', async () => {
    expect(await lookUp('Mallory')).toEqual([]);
  });
});
