import { describe, expect, it } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { ChannelFeed } from '../../../../src/ports/channel-feed.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { ENGLISH, withScene, WORKSPACE } from '../support.ts';
import { THERE } from './support.ts';

describe('the names of people of another space', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [THERE, 'fr']));
  const author = (name: string) => ({ id: name, name, kind: 'person' as const });
  const saidBy = async (name: string): Promise<string> => {
    await scene.say(THERE, 'hello', { author: author(name) });
    await scene.idle();
    return scene.feed.texts(ENGLISH).at(-1) ?? '';
  };

  it('are shown with their space, however long or odd they are', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower\u202E.example');
    expect(await saidBy('ada')).toContain('ada · tower .example: ');
    expect(await saidBy('a'.repeat(200))).toContain('a… · tower .example: ');
    await scene.say(ENGLISH, 'fr:salut');
    await scene.idle();
    expect(scene.other.texts(THERE).at(-1)).not.toContain('·');
  });

  it.each([
    ['as a member here', 'Ada'],
    ['so that it looks like it, in Cyrillic', '\u0410d\u0430'],
    ['so in other case, width and accents', ' ＡDÁ\u200B '],
    ['with the sign of another server', 'eve · tower'],
  ])('are shown with their space where they call themselves %s', async (_, name) => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.spaces.change(ENGLISH.space, { serverNames: 'off' });
    await scene.say(ENGLISH, 'it is me', { author: author('Ada') });
    await scene.say(ENGLISH, 'and me');
    await scene.idle();
    expect(await saidBy(name)).toContain('· tower.example: ');
    expect(await saidBy('Eve')).not.toContain('tower.example');
  });

  it.each([
    ['as somebody here does who never wrote', ['Ada'], '\u0410da'],
    ['though names here are not known', [], 'Eve'],
  ])('are shown with their space where they call themselves %s', async (_, here, name) => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    scene.feed.nameHere(...here);
    for (const serverNames of ['off', 'change'] as const) {
      await scene.spaces.change(ENGLISH.space, { serverNames });
      await saidBy(name);
      expect(await saidBy(name)).toContain('· tower.example: ');
    }
  });

  it('are shown with their space where those here are not said, and asked for once else', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.spaces.change(ENGLISH.space, { serverNames: 'off' });
    const feed = scene.feed.feed as { namesLike: ChannelFeed['namesLike'] };
    let asked = 0;
    feed.namesLike = async () => {
      asked += 1;
      throw new AppError('unavailable', 'no answer');
    };
    expect(await saidBy('Eve')).toContain('· tower.example: ');
    feed.namesLike = async () => {
      asked += 1;
      return [];
    };
    for (let each = 0; each < 3; each += 1)
      expect(await saidBy('Eve')).not.toContain('tower.example');
    expect(asked).toBe(2);
  });

  it('are shown with their space where the message before came from another, if moderators chose that', async () => {
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.spaces.change(ENGLISH.space, { serverNames: 'change' });
    expect(await saidBy('eve')).toContain('eve · tower.example: ');
    expect(await saidBy('eve')).not.toContain('·');
    await scene.say(ENGLISH, 'in between', { author: author('bob') });
    await scene.idle();
    expect(await saidBy('eve')).toContain('eve · tower.example: ');
  });

  it('are shown alone where moderators chose that, or nobody knows the space', async () => {
    expect(await saidBy('ada')).not.toContain('·');
    scene.other.nameSpace(WORKSPACE, 'tower.example');
    await scene.spaces.change(ENGLISH.space, { serverNames: 'off' });
    expect(await saidBy('ada')).not.toContain('·');
  });
});
