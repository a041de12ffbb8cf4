import { describe, expect, it } from 'vitest';
import { channel, lost } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { GENERAL, withScene } from './support.ts';

describe('after a time away', () => {
  const scene = withScene([watchOf(GENERAL)]);

  it('what came meanwhile is caught up in order, and what comes then stands behind it', async () => {
    await scene.say(GENERAL, 'seen');
    await scene.idle();
    for (const text of ['missed 1', 'missed 2']) scene.feed.say(GENERAL, text);
    await scene.restart();
    const later = scene.feed.say(GENERAL, 'live');
    scene.listener.messagesMissed([{ channel: GENERAL, newest: later.position }]);
    await scene.listener.messageChanged(later);
    await scene.idle();
    expect(scene.feed.texts(GENERAL).slice(-3)).toEqual(
      ['missed 1', 'missed 2', 'live'].map((text) => `🇪🇸 es(${text})`),
    );
  });

  it('edits and deletes that nobody reported are found too', async () => {
    const [edited, removed] = [
      await scene.say(GENERAL, 'edited'),
      await scene.say(GENERAL, 'removed'),
    ];
    await scene.say(GENERAL, 'before them');
    await scene.idle();
    scene.feed.edit(edited.ref, 'corrected');
    scene.feed.remove(removed.ref);
    const { position } = scene.feed.say(GENERAL, 'new');
    await scene.restart();
    scene.listener.messagesMissed([{ channel: GENERAL, newest: position }]);
    await scene.idle();
    expect(scene.feed.texts(GENERAL).toSorted()).toEqual(
      [
        'before them',
        'corrected',
        'new',
        '🇪🇸 es(before them)',
        '🇪🇸 es(corrected)',
        '🇪🇸 es(new)',
      ].toSorted(),
    );
  });

  it('nothing is fetched where nothing came', async () => {
    await scene.restart();
    const calls = scene.feed.calls.length;
    scene.listener.messagesMissed([{ channel: GENERAL, newest: '0'.repeat(20) }]);
    await scene.idle();
    expect(scene.feed.calls.slice(calls)).not.toContain('history');
  });

  it('a history that cannot be read is read again', async () => {
    const { position } = scene.feed.say(GENERAL, 'missed');
    await scene.restart();
    scene.feed.fail({ call: 'history', error: lost() });
    scene.listener.messagesMissed([{ channel: GENERAL, newest: position }]);
    await expect.poll(() => scene.feed.texts(GENERAL).at(-1)).toContain('es(missed)');
  });

  it('deletes are found where nothing else happened', async () => {
    const [kept, removed] = [await scene.say(GENERAL, 'kept'), await scene.say(GENERAL, 'removed')];
    await scene.idle();
    scene.feed.remove(removed.ref);
    await scene.restart();
    scene.listener.messagesMissed([{ channel: GENERAL, newest: kept.position }]);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['kept', '🇪🇸 es(kept)']);
  });

  it('what was left alone is not fetched again', async () => {
    const { position } = await scene.say(GENERAL, '!play a song');
    await scene.idle();
    await scene.restart();
    const calls = scene.feed.calls.length;
    scene.listener.messagesMissed([{ channel: GENERAL, newest: position }]);
    await scene.idle();
    expect(scene.feed.calls.slice(calls)).not.toContain('history');
  });

  it('what was dealt with long ago is remembered no more', async () => {
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    scene.clock.aheadMs = 8 * 86_400_000;
    await scene.restart();
    await expect.poll(() => scene.outcomes()).toEqual({});
  });

  it('nothing is fetched of channels that nobody watches', async () => {
    await scene.idle();
    const calls = scene.feed.calls.length;
    scene.listener.messagesMissed([{ channel: channel('elsewhere'), newest: undefined }]);
    await scene.idle();
    expect(scene.feed.calls.slice(calls)).not.toContain('history');
  });
});
