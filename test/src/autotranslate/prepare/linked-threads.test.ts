import { setImmediate } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { AppError } from '../../../../src/errors.ts';
import type { Message } from '../../../../src/model/message.ts';
import { createMirrorStore } from '../../../../src/store/channels/mirrors.ts';
import { WATCH } from '../../../../src/store/inbox/row.ts';
import { channel, lost, person, SPACE } from '../../../fakes/channel-feed.ts';
import { mirrorOf } from '../../../fakes/autotranslate.ts';
import { ENGLISH, JAPANESE, linked, SPANISH, withScene, WORKSPACE } from '../support.ts';

const TEAM = channel('team', undefined, WORKSPACE);

describe('threads of linked channels', () => {
  const scene = withScene(linked());
  const eva = { author: person('eva') };

  /** The only thread of a channel in which something stands. */
  const copyIn = ({ id }: typeof ENGLISH): ReturnType<typeof channel> => {
    const [found] = [...scene.feed.threads.keys()].filter((one) => one.startsWith(`${id}/`));
    return channel(found ?? 'none', id);
  };

  const passSecond = async (): Promise<void> => {
    scene.clock.aheadMs += 1_000;
    await vi.advanceTimersByTimeAsync(1_000);
    for (let turn = 0; turn < 50; turn += 1) await setImmediate();
  };

  it('are copied with their translated name and their messages, in order', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.say(thread, 'two', eva);
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['🧵 es(plans)']);
    expect(scene.feed.threads.get(copyIn(SPANISH).id)?.name).toBe('es(plans)');
    expect(scene.feed.texts(copyIn(SPANISH))).toEqual([
      'ada: es(one) [🌐 inglés]',
      'eva: es(two) [🌐 inglés]',
    ]);
    expect(scene.feed.texts(copyIn(JAPANESE))).toHaveLength(2);
    expect(scene.feed.texts(ENGLISH)).toEqual([]);
  });

  it('take what is written in their copies, and copy it into all others', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.idle();
    await scene.say(copyIn(SPANISH), 'es:hola', eva);
    await scene.idle();
    expect(scene.feed.texts(thread).at(-1)).toBe('eva: en(es:hola) [🌐 English]');
    expect(scene.feed.texts(copyIn(JAPANESE)).at(-1)).toBe('eva: ja(es:hola) [🌐 英語]');
    expect(scene.feed.texts(SPANISH)).toHaveLength(1);
  });

  it('stand under the copy of the message that they were begun under, though all comes at once', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    const thread = scene.feed.startThread(ENGLISH, 'plans', { under: ref });
    await scene.say(thread, 'one');
    await scene.idle();
    // Nothing is translated twice for it: the message, the name, and what was written in the thread.
    expect(scene.asked.get('es')).toBe(3);
    const [copy] = scene.feed.messages(SPANISH) as [Message];
    expect(scene.feed.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    const below = channel(`${SPANISH.id}/${copy.ref.id}`, SPANISH.id);
    expect(scene.feed.texts(below)).toEqual(['ada: es(one) [🌐 inglés]']);
    // One that somebody begins under the copy is the same conversation.
    const own = scene.feed.startThread(JAPANESE, '計画', {
      under: (scene.feed.messages(JAPANESE)[0] as Message).ref,
    });
    await scene.say(own, 'ja:こんにちは', eva);
    await scene.idle();
    expect(scene.feed.texts(thread).at(-1)).toBe('eva: en(ja:こんにちは) [🌐 English]');
    expect(scene.feed.texts(below)).toHaveLength(2);
  });

  it('follow edits and deletions, and lose the copies of what went with a deleted thread', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    const { ref } = await scene.say(thread, 'one');
    await scene.say(thread, 'two');
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'otherwise'));
    await scene.idle();
    expect(scene.feed.texts(copyIn(SPANISH))[0]).toBe('ada: es(otherwise) [🌐 inglés]');
    await scene.say(copyIn(SPANISH), 'es:mío', eva);
    await scene.idle();
    await scene.listener.channelDeleted(thread);
    await scene.idle();
    expect(scene.feed.texts(copyIn(SPANISH))).toEqual(['es:mío']);
    expect(scene.feed.texts(copyIn(JAPANESE))).toEqual(['eva: ja(es:mío) [🌐 英語]']);
  });

  it('lose the copies of a long deleted thread in parts, between which others are served', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    const stored = createMirrorStore(scene.store, Date.now);
    const posted = { channel: SPANISH, ids: ['9'] } as const;
    const mirror = { target: { channel: SPANISH }, posted, contentHash: 'any' };
    const ids = Array.from({ length: 300 }, (_, at) => `${10_000 + at}`);
    await scene.store.write(async (db) => {
      for (const id of ids)
        await stored.put(db, { ref: { channel: thread, id }, purpose: WATCH }, mirror, true);
    });
    const deleting = scene.listener.channelDeleted(thread);
    const marked: number[] = [];
    while ((marked.at(-1) ?? 0) < ids.length)
      marked.push(
        await scene.store.write(async (db) => {
          const rows = await db.selectFrom('inbox').select('message_id').execute();
          return rows.length;
        }),
      );
    await deleting;
    const steps = marked.map((count, at) => count - (marked[at - 1] ?? 0));
    expect(Math.max(...steps)).toBeLessThanOrEqual(50);
  });

  it('lose the copies of what went with a deleted thread after the link has ended', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.idle();
    await scene.watches.remove(ENGLISH);
    await scene.listener.channelDeleted(thread);
    await scene.idle();
    expect(scene.feed.texts(copyIn(SPANISH))).toEqual([]);
  });

  it('are not copied again into a channel where people deleted the copy', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.idle();
    await scene.listener.channelDeleted(copyIn(SPANISH));
    await scene.say(thread, 'two');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toHaveLength(1);
    expect(scene.feed.texts(copyIn(SPANISH))).toHaveLength(1);
    expect(scene.feed.texts(copyIn(JAPANESE))).toHaveLength(2);
    await scene.listener.channelDeleted(copyIn(JAPANESE));
    const { ref } = await scene.say(thread, 'three');
    await scene.idle();
    expect((await scene.outcomes())[ref.id]).toBe('skipped thread-gone');
  });

  it('are left out where none may be begun, and what is begun goes on', async () => {
    scene.feed.threadless.add(SPANISH.id);
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    expect(scene.feed.texts(copyIn(JAPANESE))).toHaveLength(1);
    scene.feed.threadless.add(JAPANESE.id);
    await scene.say(thread, 'two');
    const other = scene.feed.startThread(ENGLISH, 'more plans');
    const { ref } = await scene.say(other, 'three');
    await scene.idle();
    expect(scene.feed.texts(copyIn(JAPANESE))).toHaveLength(2);
    expect((await scene.outcomes())[ref.id]).toBe('skipped threads-refused');
  });

  it('stay where they are when they are private', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'secret', { isPrivate: true });
    const { ref } = await scene.say(thread, 'one');
    await scene.idle();
    expect((await scene.outcomes())[ref.id]).toBe('skipped private-thread');
    expect(scene.feed.texts(SPANISH)).toEqual([]);
  });

  it('do not show the name that somebody gave who opted out', async () => {
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'mia' }, true);
    const thread = scene.feed.startThread(ENGLISH, 'mine', { ownerId: 'mia' });
    await scene.say(thread, 'one');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['🧵 🧵']);
  });

  it('are begun once, whichever answer is lost, and keep messages from no other channel', async () => {
    scene.feed.fail(
      { call: 'openThread', channel: SPANISH, error: lost(), after: true },
      { call: 'openThread', channel: SPANISH, error: lost() },
    );
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.say(ENGLISH, 'meanwhile');
    await scene.idle();
    expect(scene.feed.texts(copyIn(JAPANESE))).toEqual(['ada: ja(one) [🌐 英語]']);
    expect(scene.feed.texts(JAPANESE)).toHaveLength(2);
    for (let tries = 0; tries < 3; tries += 1) await scene.later();
    expect(scene.feed.texts(SPANISH)).toEqual(['🧵 es(plans)', 'ada: es(meanwhile) [🌐 inglés]']);
    expect(scene.feed.texts(copyIn(SPANISH))).toEqual(['ada: es(one) [🌐 inglés]']);
  });

  it('that cannot be begun for long hold up no other channel, and are begun once', async () => {
    const hang = Promise.withResolvers<void>();
    scene.feed.during('openThread', () => hang.promise);
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.say(ENGLISH, 'meanwhile');
    for (let seconds = 0; seconds < 15; seconds += 1) await passSecond();
    const inTime = [scene.feed.texts(JAPANESE), scene.feed.texts(copyIn(JAPANESE))].flat();
    hang.resolve();
    for (let tries = 0; tries < 3; tries += 1) await scene.later();
    expect(inTime).toEqual([
      '🧵 ja(plans)',
      'ada: ja(meanwhile) [🌐 英語]',
      'ada: ja(one) [🌐 英語]',
    ]);
    expect(scene.feed.texts(SPANISH).filter((text) => text.startsWith('🧵'))).toHaveLength(1);
    expect(scene.feed.texts(copyIn(SPANISH))).toEqual(['ada: es(one) [🌐 inglés]']);
  });

  it('leave a message out in a server that has too many, and say so', async () => {
    const full = new AppError('unavailable', 'too many threads', {
      sentence: { key: 'watch.threads-full' },
    });
    const fault = { call: 'openThread', channel: SPANISH, error: full } as const;
    scene.feed.fail(fault, fault);
    const message = await scene.say(scene.feed.startThread(ENGLISH, 'plans'), 'one');
    await scene.later();
    expect(scene.feed.texts(copyIn(JAPANESE))).toHaveLength(1);
    const [explained] = await scene.inbox.explain(message);
    expect(explained?.parts).toContainEqual(
      expect.objectContaining({ state: 'dead', reason: { key: 'watch.threads-full', params: {} } }),
    );
  });

  it('are no longer copied after their channel is taken out of its group', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.idle();
    await scene.watches.remove(SPANISH);
    await scene.say(thread, 'two');
    await scene.say(copyIn(SPANISH), 'es:nadie', eva);
    await scene.idle();
    expect(scene.feed.texts(copyIn(SPANISH))).toEqual(['ada: es(one) [🌐 inglés]', 'es:nadie']);
    expect(scene.feed.texts(thread)).toEqual(['one', 'two']);
  });

  it('leave what is written outside of posts out of forums', async () => {
    scene.feed.forums.add(SPANISH.id);
    scene.feed.forums.add(JAPANESE.id);
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.say(scene.feed.startThread(ENGLISH, 'post'), 'first');
    await scene.idle();
    expect((await scene.outcomes())[ref.id]).toBe('skipped posts-only');
    expect(scene.feed.texts(SPANISH)).toEqual(['🧵 es(post)']);
    expect(scene.feed.texts(copyIn(SPANISH))).toHaveLength(1);
  });
});

describe('a thread that is linked with a platform whose threads are no channels', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [TEAM, 'es']));

  it('takes the answers in the thread there without a quote, and no other answers', async () => {
    const thread = scene.feed.startThread(ENGLISH, 'plans');
    await scene.say(thread, 'one');
    await scene.idle();
    const [opening] = scene.other.messages(TEAM) as [Message];
    const answer = { threadId: opening.ref.id, replyTo: opening.ref, author: person('eva') };
    await scene.say(TEAM, 'es:hola', answer);
    const { ref } = await scene.say(TEAM, 'es:nuevo', { threadId: 'new' });
    await scene.say(TEAM, 'es:sí', { threadId: 'new', replyTo: ref, author: person('eva') });
    await scene.idle();
    expect(scene.feed.texts(thread)).toEqual(['one', 'eva: en(es:hola) [🌐 English]']);
    expect(scene.feed.texts(ENGLISH)).toHaveLength(2);
  });
});
