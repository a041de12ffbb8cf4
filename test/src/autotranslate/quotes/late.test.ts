import { describe, expect, it } from 'vitest';
import { SPACE } from '../../../fakes/channel-feed.ts';
import { AppError } from '../../../../src/errors.ts';
import { linked, SPANISH, withScene } from '../support.ts';
import { answered } from './support.ts';

const BOB = { platform: SPACE.platform, id: 'bob' };

describe('the quote in a channel that is away while what it quotes is edited', () => {
  const scene = withScene(linked());

  it.each<[string, () => Promise<unknown>]>([
    ['its daily limit is used up', async () => scene.spaces.change(SPACE, { dailyCharacters: 1 })],
    ['its author opted out', async () => scene.privacy.setOptedOut(BOB, true)],
    ['the service fails at it for ever', async () => scene.poisoned.add('really')],
    ['nothing else happens', async () => undefined],
  ])(
    'goes where the answer, which stays, is not translated anew by then, as %s',
    async (how, act) => {
      const { ref } = await answered(scene);
      const away = new AppError('unavailable', 'it is away', { retryable: true });
      scene.feed.sick.set(SPANISH.id, async () => Promise.reject(away));
      await scene.listener.messageChanged(scene.feed.edit(ref, 'a public matter'));
      for (let minutes = 0; minutes < 5; minutes += 1) await scene.later();
      await scene.restart();
      await act();
      scene.feed.sick.clear();
      scene.listener.connected(SPACE.platform);
      for (let minutes = 0; minutes < 30; minutes += 1) await scene.later();
      const [, answer] = scene.feed.texts(SPANISH);
      expect(answer).toContain('bob: es(really) [🌐 inglés]');
      expect(answer).not.toContain('secret');
      if (how === 'nothing else happens') expect(answer).toContain('es(a public matter)');
    },
  );
});
