import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { plainWords } from '../../../src/rich-text/compose.ts';
import type { Message } from '../../../src/model/message.ts';
import { channel, lost, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { GENERAL, withScene } from './support.ts';

const DAY_MS = 86_400_000;

describe('an edit', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('wins that comes before the translation is done', async () => {
    const gate = scene.hold('before');
    const { ref } = await scene.say(GENERAL, 'before');
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    gate();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)\n🇯🇵 ja(after)']);
  });

  it('of a message whose row was cleared changes its copy, and posts no other', async () => {
    const { ref } = await scene.say(GENERAL, 'old');
    await scene.idle();
    await scene.store.deleteFrom('inbox').execute();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'corrected'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['corrected', '🇪🇸 es(corrected)\n🇯🇵 ja(corrected)']);
  });

  it('that has to wait holds up nothing that is new', async () => {
    const { ref } = await scene.say(GENERAL, 'one');
    await scene.idle();
    const wait = new AppError('rate-limited', 'too old for more', {
      retryable: true,
      retryAfterMs: 60_000,
    });
    scene.feed.fail({ call: 'update', error: wait });
    await scene.listener.messageChanged(scene.feed.edit(ref, 'uno'));
    await scene.say(GENERAL, 'two');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([
      'uno',
      '🇪🇸 es(one)\n🇯🇵 ja(one)',
      'two',
      '🇪🇸 es(two)\n🇯🇵 ja(two)',
    ]);
  });

  it('that makes a command of a message takes its translation away', async () => {
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, '!play hello'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['!play hello']);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped command' });
  });

  it('ends the translation of what the message was before', async () => {
    scene.hold('before');
    const { ref } = await scene.say(GENERAL, 'before');
    await expect.poll(() => scene.contexts.has('before')).toBe(true);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)[1]).toContain('es(after)');
  });

  it('in the middle of posting is shown in the end, and counts as one message', async () => {
    const { ref } = scene.feed.say(GENERAL, 'before');
    scene.feed.during('create', () => scene.listener.messageChanged(scene.feed.edit(ref, 'after')));
    await scene.listener.messageChanged({
      ...scene.feed.messages(GENERAL)[0]!,
      text: plainWords('before'),
    });
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)\n🇯🇵 ja(after)']);
    expect((await scene.usage.today(SPACE)).messages).toBe(1);
  });

  it('of a message so old that its row may be cleared brings nothing new', async () => {
    const { ref } = scene.feed.say(GENERAL, 'before');
    scene.clock.aheadMs = 7.2 * DAY_MS;
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after']);
    expect(await scene.outcomes()).toEqual({});
  });

  it('of a message from before the watch brings nothing', async () => {
    const elsewhere = channel('elsewhere');
    const { ref } = scene.feed.say(elsewhere, 'before');
    scene.clock.aheadMs = 60_000;
    await scene.watches.set([watchOf(elsewhere)]);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(elsewhere)).toEqual(['after']);
  });
});

describe('a delete', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('takes along what was changed by an edit', async () => {
    const { ref } = await scene.say(GENERAL, 'before');
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)\n🇯🇵 ja(after)']);
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([]);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped deleted' });
  });

  it('while the message is translated leaves nothing to post', async () => {
    const gate = scene.hold('oops');
    const { ref } = await scene.say(GENERAL, 'oops');
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    gate();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([]);
  });

  it('before the reply is posted takes nothing else along', async () => {
    const gate = scene.hold('first');
    const { ref } = await scene.say(GENERAL, 'first');
    scene.feed.remove(ref);
    await scene.say(GENERAL, 'second');
    gate();
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['second', '🇪🇸 es(second)\n🇯🇵 ja(second)']);
    expect(await scene.outcomes()).toMatchObject({ [ref.id]: 'skipped deleted' });
  });

  it('that is not known when its lost reply is looked for takes that along', async () => {
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    const { ref } = await scene.say(GENERAL, 'taken back');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
    scene.feed.during('create', async () => scene.feed.remove(ref));
    await scene.later();
    expect(scene.feed.texts(GENERAL)).toEqual([]);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped deleted' });
  });

  it('is for good: a late report brings nothing back', async () => {
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    scene.feed.remove(message.ref);
    await scene.listener.messagesDeleted([message.ref]);
    await scene.listener.messageChanged({ ...message, text: plainWords('hello!') });
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([]);
  });

  it('whose copy may not be taken away is not forgotten: moderators are told', async () => {
    const { ref } = await scene.say(GENERAL, 'one');
    await scene.idle();
    scene.feed.remove(ref);
    scene.feed.fail({ call: 'remove', error: new AppError('forbidden', 'closed') });
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect((await scene.inbox.backlog(SPACE)).dead).toBe(1);
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([]);
  });

  it('ends the translation', async () => {
    scene.hold('hello');
    const { ref } = await scene.say(GENERAL, 'hello');
    await expect.poll(() => scene.contexts.has('hello')).toBe(true);
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped deleted' });
  });

  it('takes away also what was posted in a try that nobody knows of', async () => {
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toHaveLength(2);
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.later();
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped deleted' });
    expect(scene.feed.texts(GENERAL)).toEqual([]);
  });

  it('takes the words out of what translators are told of', async () => {
    const { ref } = await scene.say(GENERAL, 'oops');
    await scene.idle();
    await scene.listener.messagesDeleted([ref]);
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(scene.contexts.get('hello')).toEqual([]);
  });
});

describe('a copy that a moderator deleted', () => {
  const scene = withScene([watchOf(GENERAL)]);

  it('is not put back by an edit', async () => {
    const { ref } = await scene.say(GENERAL, 'before');
    await scene.idle();
    const copy = scene.feed.messages(GENERAL).at(-1) as Message;
    scene.feed.remove(copy.ref);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after']);
  });

  it('does not come back, however often the message is edited', async () => {
    const { ref } = await scene.say(GENERAL, 'one');
    await scene.idle();
    scene.feed.remove((scene.feed.messages(GENERAL).at(-1) as Message).ref);
    for (const text of ['two', 'three']) {
      await scene.listener.messageChanged(scene.feed.edit(ref, text));
      await scene.idle();
    }
    expect(scene.feed.texts(GENERAL)).toEqual(['three']);
    expect(scene.feed.calls.filter((call) => call === 'update')).toHaveLength(1);
  });
});
