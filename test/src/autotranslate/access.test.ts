import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene, WORKSPACE } from './support.ts';

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
    const lacking = (where: typeof SPANISH) => ({
      channel: where,
      permissions: ['Manage Webhooks'],
    });
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

describe('a target in a linked space that refuses', () => {
  const ABROAD = channel('abroad', undefined, WORKSPACE);
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [ABROAD, 'es'], [JAPANESE, 'ja']));
  const refuse = (times: number): void => {
    for (let at = 0; at < times; at += 1)
      scene.other.fail({ call: 'create', error: new AppError('forbidden', 'Missing Permissions') });
  };
  const changed = async (space: typeof SPACE): Promise<void> => {
    await scene.listener.accessChanged(space);
    await scene.idle();
  };

  it('has a message translated anew a few times at most, however often its permissions change', async () => {
    refuse(100);
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    for (let times = 0; times < 10; times += 1) await changed(WORKSPACE);
    expect(scene.asked.get('es')).toBe(4);
    expect(scene.feed.texts(JAPANESE)).toHaveLength(1);
  });

  it('has none translated anew while it still lacks a permission, nor for a change of another space', async () => {
    refuse(1);
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.other.lack('Manage Webhooks');
    for (let times = 0; times < 10; times += 1) await changed(WORKSPACE);
    scene.other.lack();
    await changed(SPACE);
    expect(scene.asked.get('es')).toBe(1);
    await changed(WORKSPACE);
    expect(scene.other.texts(ABROAD)).toEqual(['ada: es(hello) [🌐 inglés]']);
  });

  it('loses a copy that it refused to delete, once it allows that', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.other.fail({ call: 'remove', error: new AppError('forbidden', 'Missing Permissions') });
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(scene.other.texts(ABROAD)).toHaveLength(1);
    await changed(WORKSPACE);
    expect(scene.other.texts(ABROAD)).toEqual([]);
  });
});
