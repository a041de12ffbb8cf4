import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { SPACE } from '../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene } from './support.ts';

describe('a message that was given up for another reason', () => {
  const scene = withScene(linked());

  it('is not tried again when permissions have changed', async () => {
    scene.feed.fail({ call: 'create', error: new AppError('bad-input', 'blocked') });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.listener.accessChanged(SPACE);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead bad-input' });
  });
});

describe('a target that is forbidden', () => {
  const scene = withScene(linked());
  const refused = (): AppError => new AppError('forbidden', 'Missing Permissions');

  it('is named with what it lacks', async () => {
    scene.feed.fail({ call: 'create', error: refused() });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.feed.lack('Manage Webhooks');
    const lacking = (channel: typeof SPANISH) => ({ channel, permissions: ['Manage Webhooks'] });
    expect((await scene.inbox.backlog(SPACE)).newestDead).toEqual([
      {
        ref,
        code: 'forbidden',
        reason: { key: 'reasons.forbidden', params: {} },
        lacks: [lacking(SPANISH), lacking(JAPANESE)],
      },
    ]);
    scene.feed.lack();
    expect((await scene.inbox.backlog(SPACE)).newestDead).toEqual([
      { ref, code: 'forbidden', reason: { key: 'reasons.forbidden', params: {} }, lacks: [] },
    ]);
  });

  it('gets its mirrors once permissions have changed', async () => {
    scene.feed.fail({ call: 'create', error: refused() });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead forbidden' });
    await scene.listener.accessChanged(SPACE);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'posted' });
  });

  it('is not tried again for messages that are older than a day', async () => {
    scene.feed.fail({ call: 'create', error: refused() });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.clock.aheadMs += 25 * 3_600_000;
    await scene.listener.accessChanged(SPACE);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead forbidden' });
  });
});
