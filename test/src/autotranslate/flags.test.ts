import { describe, expect, it } from 'vitest';
import type { Message } from '../../../src/model/message.ts';
import { plainText } from '../../../src/rich-text/walk.ts';
import { readFlagged } from '../../../src/autotranslate/read-source.ts';
import { channel, SPACE } from '../../fakes/channel-feed.ts';
import { realTexts } from '../../fakes/texts.ts';
import { mirrorOf, watchOf } from '../../fakes/autotranslate.ts';
import { ENGLISH, GENERAL, linked, SPANISH, withScene, WORKSPACE } from './support.ts';

describe('a flag', () => {
  const scene = withScene();

  it('brings a translation once, however many press it', async () => {
    const { ref } = scene.feed.say(GENERAL, 'hello');
    for (const _ of [1, 2, 3]) await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇯🇵 ja(hello)']);
  });

  it('holds the messages of its channel for no others: three come at once, more evenly apart', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const { ref } = await scene.say(GENERAL, 'hello');
    const flags = ['🇯🇵', '🇫🇷', '🇩🇪', '🇮🇹', '🇵🇱', '🇰🇷'];
    for (const flag of flags) await scene.listener.reactionChanged(ref, flag, true);
    await scene.say(GENERAL, 'next');
    await scene.idle();
    const replies = (): number =>
      scene.feed.texts(GENERAL).filter((text) => /^(?!🇪🇸).*\(hello\)/u.test(text)).length;
    expect(scene.feed.texts(GENERAL)).toContain('🇪🇸 es(next)');
    expect(replies()).toBe(3);
    await scene.later();
    expect(replies()).toBe(6);
  });

  it('takes it away again when the last one is removed', async () => {
    const { ref } = scene.feed.say(GENERAL, 'hello');
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    await scene.listener.reactionChanged(ref, '🇯🇵', false);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello']);
  });

  it('has its translation follow an edit', async () => {
    const { ref } = scene.feed.say(GENERAL, 'before');
    await scene.listener.reactionChanged(ref, '🇪🇸', true);
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)']);
  });

  it('does nothing where the space switched flags off, or maps the emoji to another language', async () => {
    await scene.spaces.change(SPACE, { flags: { on: true, languages: { '🇯🇵': 'es' } } });
    const { ref } = scene.feed.say(GENERAL, 'hello');
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.listener.reactionChanged(ref, '🎉', true);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)']);
  });

  it('that is pressed and removed at once leaves nothing', async () => {
    const { ref } = scene.feed.say(channel('elsewhere'), 'hello');
    await Promise.all([
      scene.listener.reactionChanged(ref, '🇯🇵', true),
      scene.listener.reactionChanged(ref, '🇯🇵', false),
    ]);
    await scene.idle();
    expect(scene.feed.texts(channel('elsewhere'))).toEqual(['hello']);
  });

  it('stays while anybody presses it', async () => {
    const { ref } = scene.feed.say(GENERAL, 'hello');
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    scene.feed.react(ref, '🇯🇵', 1);
    await scene.listener.reactionChanged(ref, '🇯🇵', false);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇯🇵 ja(hello)']);
  });

  it('brings nothing in a quiet channel, nor in its threads', async () => {
    await scene.spaces.change(SPACE, { quietChannels: [GENERAL.id] });
    for (const place of [GENERAL, channel('thread', GENERAL.id)]) {
      const { ref } = scene.feed.say(place, 'hello');
      await scene.listener.reactionChanged(ref, '🇯🇵', true);
      await scene.idle();
      expect(scene.feed.texts(place)).toEqual(['hello']);
    }
  });

  it('brings nothing of somebody who opted out, and nothing of it is stored', async () => {
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    const { ref } = scene.feed.say(GENERAL, 'hello');
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    expect(await scene.outcomes()).toEqual({});
    expect(scene.feed.whispered).toEqual([]);
  });

  it('tells the one who pressed it alone that such a message is not translated, as of a notice, and not why', async () => {
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    const words = `bob: ${plainText(realTexts.rich('ja')('flags.not-translated'))}`;
    for (const notice of [{}, { system: true as const }]) {
      const { ref } = scene.feed.say(GENERAL, 'hello', notice);
      await scene.listener.reactionChanged(ref, '🇯🇵', true, 'bob');
      await scene.idle();
    }
    expect(scene.feed.whispered).toEqual([words, words]);
  });

  it('brings nothing of what somebody wrote while they were opted out, who is not any more', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const ada = { platform: SPACE.platform, id: 'ada' };
    await scene.privacy.setOptedOut(ada, true);
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.privacy.setOptedOut(ada, false);
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello']);
  });

  it('brings nothing that stands there by itself', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await scene.listener.reactionChanged(ref, '🇪🇸', true);
    await scene.listener.reactionChanged(ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)', '🇯🇵 ja(hello)']);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)', '🇯🇵 ja(after)']);
  });

  it('brings what auto-translate did not: a language that was added since, a message that a rule leaves out', async () => {
    await scene.watches.set([watchOf(GENERAL, { choices: { rules: { shortest: 3 } } })]);
    const early = await scene.say(GENERAL, 'hello');
    const short = await scene.say(GENERAL, 'so');
    await scene.idle();
    scene.clock.aheadMs += 1_000;
    await scene.watches.set([watchOf(GENERAL, { languages: ['es', 'ja'] })]);
    await scene.listener.reactionChanged(early.ref, '🇯🇵', true);
    await scene.listener.reactionChanged(short.ref, '🇪🇸', true);
    await scene.idle();
    const texts = ['hello', '🇪🇸 es(hello)', 'so', '🇯🇵 ja(hello)', '🇪🇸 es(so)'];
    expect(new Set(scene.feed.texts(GENERAL))).toEqual(new Set(texts));
    await scene.restart();
    const late = await scene.say(GENERAL, 'later');
    await scene.idle();
    await scene.listener.reactionChanged(late.ref, '🇯🇵', true);
    await scene.idle();
    expect(scene.feed.texts(GENERAL).filter((text) => text.includes('later'))).toHaveLength(2);
  });

  it('on a copy means the words that were copied', async () => {
    await scene.watches.set(linked());
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const copy = scene.feed.messages(SPANISH)[0] as Message;
    await scene.listener.reactionChanged(copy.ref, '🇫🇷', true);
    await scene.idle();
    expect(scene.feed.texts(SPANISH).at(-1)).toBe('🇫🇷 fr(hello)');
  });

  it('on a copy on another platform brings nothing of somebody who opted out, before it was pressed or after', async () => {
    const there = channel('there', undefined, WORKSPACE);
    await scene.watches.set(mirrorOf([ENGLISH, 'en'], [there, 'es']));
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const copy = scene.other.messages(there)[0] as Message;
    const resume = scene.hold('hello');
    await scene.listener.reactionChanged(copy.ref, '🇫🇷', true);
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    resume();
    await scene.idle();
    await scene.listener.reactionChanged(copy.ref, '🇵🇱', true);
    await scene.idle();
    expect(scene.other.texts(there)).toEqual([expect.stringContaining('es(hello)')]);
  });

  it('on a copy means the words of the copy where its source is not copied there any more', async () => {
    await scene.watches.set(linked());
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.watches.remove(ENGLISH);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'secret'));
    const copy = scene.feed.messages(SPANISH)[0] as Message;
    await scene.listener.reactionChanged(copy.ref, '🇫🇷', true);
    await scene.idle();
    expect(scene.feed.texts(SPANISH).at(-1)).toContain('es(hello)');
    expect(scene.feed.texts(SPANISH).join()).not.toContain('secret');
  });

  it.each<[string, () => Promise<unknown>]>([
    ['linked', async () => undefined],
    ['paused', async () => scene.watches.pause(SPANISH, true, { name: 'Mod', locale: 'en' })],
    ['no longer linked', async () => scene.watches.remove(SPANISH)],
    ['no longer linked with its source', async () => scene.watches.remove(ENGLISH)],
  ])(
    'on a copy brings words that go with the message they are of: in a channel that is %s',
    async (_, act) => {
      await scene.watches.set(linked());
      const { ref } = await scene.say(ENGLISH, 'secret');
      await scene.idle();
      const copy = scene.feed.messages(SPANISH)[0] as Message;
      await scene.listener.reactionChanged(copy.ref, '🇫🇷', true);
      await scene.idle();
      expect(scene.feed.texts(SPANISH).at(-1)).toBe('🇫🇷 fr(secret)');
      await act();
      scene.feed.remove(ref);
      await scene.listener.messagesDeleted([ref]);
      await scene.idle();
      expect(scene.feed.texts(SPANISH).join()).not.toContain('secret');
    },
  );

  it('on a copy is answered in the thread of the copy', async () => {
    const { feed } = scene;
    const source = feed.say(ENGLISH, 'hello', { threadId: 'of the source' });
    const copy = feed.say(SPANISH, 'hola', { threadId: 'of the copy' });
    const sourceOf = async () => ({ ref: source.ref, purpose: 'watch' });
    const found = await readFlagged(copy.ref, {
      stored: { sourceOf },
      platforms: { of: () => feed },
      openSources: { isOpen: async () => true },
    });
    expect(found).toMatchObject({ ref: copy.ref, text: source.text, threadId: 'of the copy' });
  });
});
