import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import { lost, person } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { tree } from '../../fakes/markup.ts';
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

  it('keeps addresses whole on one line', async () => {
    await scene.say(GENERAL, tree('see\nhttps://example.com/photos/2026'));
    await scene.idle();
    expect(replies(scene)[0]).toContain('https://example.com/photos/2026');
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

describe('quick messages in a channel with compact replies', () => {
  const scene = withScene([watchOf(GENERAL, { mode: 'compact', languages: ['es', 'ja'] })]);
  const BOTH = '🇪🇸 es(one)\nes(two)\n🇯🇵 ja(one)\nja(two)';

  const sayBoth = async () => {
    const one = await scene.say(GENERAL, 'one');
    await scene.idle();
    const two = await scene.say(GENERAL, 'two');
    await scene.idle();
    return [one, two] as const;
  };
  const edit = async (ref: MessageRef, text: string): Promise<void> => {
    await scene.listener.messageChanged(scene.feed.edit(ref, text));
    await scene.idle();
  };
  const remove = async (ref: MessageRef): Promise<void> => {
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
  };

  it('of one person are one reply, whether they come one after the other or at once', async () => {
    await sayBoth();
    expect(replies(scene)).toEqual([BOTH]);
    const author = person('grace');
    const resume = scene.hold('three');
    await scene.say(GENERAL, 'three', { author });
    await scene.say(GENERAL, 'four', { author });
    resume();
    await scene.idle();
    expect(replies(scene).slice(1)).toEqual(['🇪🇸 es(three)\nes(four)\n🇯🇵 ja(three)\nja(four)']);
  });

  it('are several replies where somebody else writes in between, if only a line that needs no translation', async () => {
    await scene.say(GENERAL, 'one');
    await scene.say(GENERAL, 'es:hola', { author: person('grace') });
    await scene.say(GENERAL, 'two');
    await scene.idle();
    expect(replies(scene)).toHaveLength(3);
    expect(replies(scene)[2]).toBe('🇪🇸 es(two)\n🇯🇵 ja(two)');
  });

  it('get a new reply where anything else was written below the first one, also by the bot', async () => {
    const ours = { author: { id: 'us', name: 'us', kind: 'ourselves' } } as const;
    await scene.say(GENERAL, 'one');
    await scene.idle();
    scene.feed.say(GENERAL, 'A notice', ours);
    await scene.say(GENERAL, 'two');
    await scene.idle();
    expect(scene.feed.texts(GENERAL).at(-1)).toBe('🇪🇸 es(two)\n🇯🇵 ja(two)');
    await scene.say(GENERAL, 'three');
    await scene.idle();
    expect(replies(scene).at(-1)).toContain('es(two)\nes(three)');
  });

  it('get a new reply where a flag brought one below the first', async () => {
    const { ref } = await scene.say(GENERAL, 'one');
    await scene.idle();
    await scene.listener.reactionChanged(ref, '🇫🇷', true);
    await scene.idle();
    await scene.say(GENERAL, 'two');
    await scene.idle();
    expect(scene.feed.texts(GENERAL).at(-1)).toBe('🇪🇸 es(two)\n🇯🇵 ja(two)');
  });

  it('get a new reply where nobody can tell what stands below the first one', async () => {
    await scene.say(GENERAL, 'one');
    await scene.idle();
    scene.feed.feed.newest = async () => {
      throw new AppError('unavailable', 'away');
    };
    await scene.say(GENERAL, 'two');
    await scene.idle();
    expect(replies(scene)).toHaveLength(2);
  });

  it('are at most five in a reply, and none that is long or comes late', async () => {
    for (const text of ['a b', 'b c', 'c d', 'd e', 'e f', 'f g']) {
      await scene.say(GENERAL, text);
      await scene.idle();
      // Edits of one reply are a second apart.
      scene.clock.aheadMs += 2_000;
    }
    expect(replies(scene)).toHaveLength(2);
    await scene.say(GENERAL, LONG);
    await scene.idle();
    expect(replies(scene)).toHaveLength(3);
    const position = String(Date.now() + 60_000).padStart(20, '0');
    await scene.say(GENERAL, 'later', { position });
    await scene.idle();
    expect(replies(scene)[3]).toBe('🇪🇸 es(later)\n🇯🇵 ja(later)');
  });

  it.each(['at once', 'after a restart'])(
    'are changed and removed one by one, %s',
    async (when) => {
      const [one, two] = await sayBoth();
      if (when !== 'at once') await scene.restart();
      await edit(one.ref, 'uno');
      expect(replies(scene)).toEqual([BOTH.replaceAll('one', 'uno')]);
      await remove(one.ref);
      expect(replies(scene)).toEqual(['🇪🇸 es(two)\n🇯🇵 ja(two)']);
      await remove(two.ref);
      expect(replies(scene)).toEqual([]);
    },
  );

  it.each([
    { mode: 'request' },
    { mode: 'thread' },
    { choices: { rules: { shortest: 50, words: { of: ['two'] } } } },
  ] as const)(
    'keep the lines of others where the channel has other rules since: %j',
    async (how) => {
      const [one] = await sayBoth();
      await scene.watches.set([
        watchOf(GENERAL, { mode: 'compact', languages: ['es', 'ja'], ...how }),
      ]);
      await scene.restart();
      await remove(one.ref);
      expect(replies(scene)).toEqual(['🇪🇸 es(two)\n🇯🇵 ja(two)']);
    },
  );

  it.each([
    ['keep', 'at once', ['🇪🇸 es(two)\n🇯🇵 ja(two)']],
    ['go with', 'after a restart', []],
  ] as const)(
    '%s the line of what is deleted where auto-translate was turned off, %s: nobody knows their languages',
    async (_, when, left) => {
      const [one] = await sayBoth();
      await scene.watches.remove(GENERAL);
      if (when !== 'at once') await scene.restart();
      await remove(one.ref);
      expect(replies(scene)).toEqual(left);
    },
  );

  it('lose the line of what is deleted also while nothing can be translated', async () => {
    const [one] = await sayBoth();
    await scene.restart();
    scene.service.fault = new AppError('unavailable', 'down', { retryable: true });
    await remove(one.ref);
    expect(replies(scene).join()).not.toContain('one');
  });

  it('are gone when their author opts out', async () => {
    const [one, two] = await sayBoth();
    await scene.privacy.setOptedOut({ platform: 'place', id: 'ada' }, true);
    await edit(one.ref, 'uno');
    expect(replies(scene).join()).not.toContain('one');
    await edit(two.ref, 'dos');
    expect(replies(scene)).toEqual([]);
  });

  it('get a reply of their own where the first one was deleted by hand', async () => {
    await scene.say(GENERAL, 'one');
    await scene.idle();
    const reply = scene.feed.messages(GENERAL)[1];
    if (reply) scene.feed.remove(reply.ref);
    const two = await scene.say(GENERAL, 'two');
    await scene.idle();
    expect(replies(scene)).toEqual(['🇪🇸 es(two)\n🇯🇵 ja(two)']);
    await edit(two.ref, 'dos');
    expect(replies(scene)).toEqual(['🇪🇸 es(dos)\n🇯🇵 ja(dos)']);
  });

  it('are shown without the first one where that is deleted before they are posted', async () => {
    const resume = scene.hold('one');
    const one = await scene.say(GENERAL, 'one');
    await scene.say(GENERAL, 'two');
    scene.feed.during('create', async () => scene.feed.remove(one.ref));
    resume();
    await scene.idle();
    expect(replies(scene)).toEqual(['🇪🇸 es(two)\n🇯🇵 ja(two)']);
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
