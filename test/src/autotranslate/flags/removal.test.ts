import { describe, expect, it } from 'vitest';
import { SPACE } from '../../../fakes/channel-feed.ts';
import { watchOf } from '../../../fakes/autotranslate.ts';
import { GENERAL, withScene, type Scene } from '../support.ts';

const JAPAN = '🇯🇵';
const HELLO = 'hello';

const pressed = async (scene: Scene) => {
  const { ref } = scene.feed.say(GENERAL, HELLO);
  await scene.listener.reactionChanged(ref, JAPAN, true);
  await scene.idle();
  return ref;
};
const keep = async (scene: Scene, keptMinutes: number | undefined): Promise<void> =>
  scene.spaces.change(SPACE, { flags: { on: true, languages: {}, keptMinutes } });
const minutes = async (scene: Scene, count: number): Promise<void> => {
  for (let minute = 0; minute < count; minute += 1) await scene.later();
  await scene.idle();
};
const shown = (scene: Scene): readonly string[] => scene.feed.texts(GENERAL);
const TRANSLATED = [HELLO, `${JAPAN} ja(hello)`];

describe('a translation that a flag brought', () => {
  const scene = withScene();

  it('stays where nobody wants it removed', async () => {
    await pressed(scene);
    await minutes(scene, 5);
    expect(shown(scene)).toEqual(TRANSLATED);
  });

  it('is removed after the time that moderators chose', async () => {
    await keep(scene, 3);
    await pressed(scene);
    await minutes(scene, 2);
    expect(shown(scene)).toEqual(TRANSLATED);
    await minutes(scene, 3);
    await expect.poll(() => shown(scene)).toEqual([HELLO]);
  });

  it('is removed after a restart, too', async () => {
    await keep(scene, 3);
    await pressed(scene);
    await scene.restart();
    await minutes(scene, 5);
    await expect.poll(() => shown(scene)).toEqual([HELLO]);
  });

  it('can be asked for again, and does not come back by an edit', async () => {
    await keep(scene, 1);
    const ref = await pressed(scene);
    await minutes(scene, 3);
    await expect.poll(() => shown(scene)).toEqual([HELLO]);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'changed'));
    await scene.idle();
    expect(shown(scene)).toEqual(['changed']);
    await scene.listener.reactionChanged(ref, JAPAN, true);
    await scene.idle();
    expect(shown(scene)).toEqual(['changed', `${JAPAN} ja(changed)`]);
  });

  it('leaves translations of auto-translate alone', async () => {
    await keep(scene, 1);
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.say(GENERAL, HELLO);
    await scene.idle();
    await minutes(scene, 5);
    expect(shown(scene)).toEqual([HELLO, '🇪🇸 es(hello)']);
  });

  it('does not come back by an edit once the flag was taken away', async () => {
    const ref = await pressed(scene);
    await scene.listener.reactionChanged(ref, JAPAN, false);
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'changed'));
    await scene.idle();
    expect(shown(scene)).toEqual(['changed']);
  });
});
