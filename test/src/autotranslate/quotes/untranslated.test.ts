import { describe, expect, it } from 'vitest';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { SPACE } from '../../../fakes/channel-feed.ts';
import { AppError } from '../../../../src/errors.ts';
import { ENGLISH, SPANISH, untilGivenUp, withScene, WORKSPACE } from '../support.ts';
import { BY, MODERATOR, THERE } from './support.ts';

describe('an answer that stands as it was written, as it could not be translated', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [THERE, 'ja']));

  it.each<[string, () => Promise<unknown>]>([
    ['muted by its readers', async () => scene.watches.mute(THERE, 'place english', true)],
    ['paused by its readers', async () => scene.watches.pause(THERE, true, MODERATOR)],
    ['paused by its writers', async () => scene.watches.pause(ENGLISH, true, MODERATOR)],
    ['paused for the group', async () => scene.watches.hold(SPANISH, 'other there', true)],
    ['left by its readers', async () => scene.watches.remove(THERE)],
    ['no longer linked', async () => scene.watches.remove(ENGLISH)],
    ['at the limit', async () => scene.spaces.change(SPACE, { dailyCharacters: 1 })],
    ['in an outage', async () => void scene.down.add('es').add('ja')],
    ['as it was', async () => undefined],
  ])('keeps its copies when what it quotes is edited: in a channel that is %s', async (_, act) => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.poisoned.add('really');
    await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
    await untilGivenUp(scene);
    for (const texts of [scene.feed.texts(SPANISH), scene.other.texts(THERE)])
      expect(texts[1]).toContain('really');
    await act();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'hello all'));
    await untilGivenUp(scene);
    for (const texts of [scene.feed.texts(SPANISH), scene.other.texts(THERE)])
      expect(texts[1]).toContain('really');
  });

  it.each(['fails again', 'waits for a channel that is away'])(
    'keeps its copies though it %s, and readers leave meanwhile',
    async (how) => {
      const { ref } = await scene.say(ENGLISH, 'hello');
      await scene.idle();
      scene.poisoned.add('really');
      await scene.say(ENGLISH, 'really', { ...BY, replyTo: ref });
      await untilGivenUp(scene);
      if (how !== 'fails again') {
        scene.poisoned.clear();
        const away = new AppError('unavailable', 'it is away', { retryable: true });
        for (const on of [scene.feed, scene.other])
          for (const at of [SPANISH, THERE]) on.sick.set(at.id, async () => Promise.reject(away));
      }
      await scene.listener.messageChanged(scene.feed.edit(ref, 'hello all'));
      await scene.later();
      await scene.restart();
      for (const { platform } of [SPACE, WORKSPACE]) scene.listener.connected(platform);
      await scene.watches.remove(THERE);
      for (const on of [scene.feed, scene.other]) on.sick.clear();
      await untilGivenUp(scene);
      for (const texts of [scene.feed.texts(SPANISH), scene.other.texts(THERE)])
        expect(texts[1]).toContain('really');
    },
  );

  it('is quoted as it is after an edit of its own while what it quotes is edited', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const answer = await scene.say(ENGLISH, 'secret', { ...BY, replyTo: ref });
    await scene.idle();
    await scene.say(ENGLISH, 'hm', { replyTo: answer.ref });
    await scene.idle();
    expect(scene.feed.texts(SPANISH)[2]).toContain('secret');
    await scene.listener.messageChanged(scene.feed.edit(ref, 'hello all'));
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(answer.ref, 'a public matter'));
    await scene.later();
    await scene.later();
    expect(scene.feed.texts(SPANISH).join()).not.toContain('secret');
  });
});
