import { describe, expect, it } from 'vitest';
import { lost } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { audio, GENERAL, withScene, type Scene } from './support.ts';

const LONG = 'word '.repeat(40).trim();

const replies = (scene: Scene): readonly string[] =>
  scene.feed
    .messages(GENERAL)
    .flatMap(({ author }, at) =>
      author.kind === 'ourselves' ? [scene.feed.texts(GENERAL)[at] ?? ''] : [],
    );

describe('a channel with compact replies', () => {
  const scene = withScene([watchOf(GENERAL, { mode: 'compact', languages: ['es', 'ja', 'eo'] })]);

  it('gets one small line for each language, by its flag or its code', async () => {
    await scene.say(GENERAL, 'hello there');
    await scene.idle();
    expect(replies(scene)).toEqual(['🇪🇸 es(hello there)\n🇯🇵 ja(hello there)\neo eo(hello there)']);
  });

  it('puts what has several lines on one', async () => {
    await scene.say(GENERAL, 'one\ntwo');
    await scene.idle();
    expect(replies(scene)[0]).toMatch(/^🇪🇸 es\(one two\)\n🇯🇵/);
  });

  it('cuts long texts', async () => {
    await scene.say(GENERAL, LONG);
    await scene.idle();
    const [reply = ''] = replies(scene);
    const lines = reply.split('\n');
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.endsWith('…')).toBe(true);
    expect(reply.length).toBeLessThan(LONG.length);
  });

  it('shows a recording and its translations on one line each', async () => {
    await scene.say(GENERAL, '', { files: [audio('spoken words')] });
    await scene.idle();
    expect(replies(scene)[0]?.split('\n').slice(0, 2)).toEqual([
      '🎧 spoken words',
      '🇪🇸 es(spoken words)',
    ]);
  });

  it('follows edits and deletions of the message', async () => {
    const { ref } = await scene.say(GENERAL, LONG);
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'short'));
    await scene.idle();
    expect(replies(scene)).toEqual(['🇪🇸 es(short)\n🇯🇵 ja(short)\neo eo(short)']);
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([]);
  });

  it('has one reply after a kill between posting and storing', async () => {
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.restart();
    await scene.later();
    expect(replies(scene)).toEqual(['🇪🇸 es(hello)\n🇯🇵 ja(hello)\neo eo(hello)']);
  });

  it('is left alone where a message is in one of its languages and there is no other', async () => {
    await scene.watches.set([watchOf(GENERAL, { mode: 'compact', languages: ['es'] })]);
    await scene.say(GENERAL, 'es:hola');
    await scene.idle();
    expect(replies(scene)).toEqual([]);
  });
});

describe('a channel that is translated on request', () => {
  const scene = withScene([watchOf(GENERAL, { mode: 'request', languages: [] })]);

  it('gets nothing by itself, and says so to who asks why', async () => {
    const message = await scene.say(GENERAL, 'hello');
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello']);
    expect(await scene.outcomes()).toEqual({ [message.ref.id]: 'skipped on-request' });
    expect([...scene.asked]).toEqual([]);
    const [told] = await scene.inbox.explain(message);
    expect(told?.parts[0]?.reason).toEqual({ key: 'why.skipped.on-request' });
  });

  it('still has flags', async () => {
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.listener.reactionChanged(ref, '🇪🇸', true);
    await scene.idle();
    expect(replies(scene)).toEqual(['🇪🇸 es(hello)']);
  });

  it('lets translations stand that were made before', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.watches.set([watchOf(GENERAL, { mode: 'request', languages: [] })]);
    await scene.say(GENERAL, 'and now');
    await scene.idle();
    expect(replies(scene)).toEqual(['🇪🇸 es(hello)']);
  });
});
