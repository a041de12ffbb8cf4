import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { sentence } from '../../fakes/sentences.ts';
import { GENERAL, withScene } from './support.ts';

describe('the order of a channel', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('is kept, however long each message takes', async () => {
    const gate = scene.hold('first');
    await scene.say(GENERAL, 'first');
    await scene.say(GENERAL, 'second');
    gate();
    await scene.idle();
    expect(scene.feed.texts(GENERAL).slice(2)).toEqual([
      '🇪🇸 es(first)\n🇯🇵 ja(first)',
      '🇪🇸 es(second)\n🇯🇵 ja(second)',
    ]);
  });

  it('is kept when the first has to be tried again', async () => {
    scene.faults.set('first', [new AppError('unavailable', 'away', { retryable: true })]);
    await scene.say(GENERAL, 'first');
    await scene.say(GENERAL, 'second');
    await scene.idle();
    const replies = (): string[] =>
      scene.feed.texts(GENERAL).filter((text) => !['first', 'second'].includes(text));
    expect(replies()).toEqual([
      expect.stringContaining(sentence('autotranslate.not-yet', {}, 'es')),
      expect.stringContaining('es(second)'),
    ]);
    await scene.later();
    expect(replies()).toEqual([
      expect.stringContaining('es(first)'),
      expect.stringContaining('es(second)'),
    ]);
  });
});
