import { describe, expect, it } from 'vitest';
import { mirrorOf, watchOf } from '../../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../../fakes/channel-feed.ts';
import { ENGLISH, WORKSPACE } from '../support.ts';
import { admit, conditions, withRequests } from './request-support.ts';
import { mirror, THERE } from './support.ts';

describe('the question for a thread under a channel that is set up', () => {
  const { scene } = withRequests();
  const THREAD = { space: SPACE, id: 'th', parentId: ENGLISH.id };
  const above = watchOf(ENGLISH, { languages: ['fr'] });
  const invite = async (): Promise<string> => {
    const by = { id: 'ann', name: 'Ann' };
    return (await scene.watches.invite(mirror(THREAD, 'en'), false, by)).code;
  };

  it.each([
    [
      'was never set up itself',
      async () => {
        await scene.watches.set([above]);
        return invite();
      },
    ],
    [
      'left its group since the code was made',
      async () => {
        await scene.watches.set(mirrorOf([THREAD, 'en'], [channel('japanese'), 'ja']));
        const code = await invite();
        await scene.watches.remove(THREAD);
        await scene.watches.set([above]);
        return code;
      },
    ],
  ])('links it by the first press, where it %s', async (_, made) => {
    const code = await made();
    const { id } = await scene.watches.propose(code, mirror(THERE, 'es'), conditions);
    await scene.watches.ask(id, WORKSPACE, admit);
    const [press = ''] = scene.feed.asked(THREAD);
    const [, seen] = press.split('/');
    const said = await scene.watches.answer(id, SPACE, true, admit, THREAD, seen);
    expect(said?.controls).toBeUndefined();
    expect(scene.watches.of(THERE)).toMatchObject({ mode: 'mirror' });
  });
});
