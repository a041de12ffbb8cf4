import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { say } from '../../../src/i18n/texts.ts';
import type { Message } from '../../../src/model/message.ts';
import type { MessageRef } from '../../../src/model/place.ts';
import { lost, SPACE } from '../../fakes/channel-feed.ts';
import { watchOf } from '../../fakes/autotranslate.ts';
import { audio, ENGLISH, GENERAL, linked, SPANISH, withScene, type Scene } from './support.ts';
import { sentence } from '../../fakes/sentences.ts';
import { realTexts } from '../../fakes/texts.ts';

const JAPAN = '🇯🇵';
const japanese = realTexts.in('ja');

const missing = (): AppError => new AppError('missing', 'there is no engine for this');

const press = async (scene: Scene, ref: MessageRef, flag = JAPAN): Promise<void> => {
  await scene.listener.reactionChanged(ref, flag, true);
  await scene.idle();
};
const unpress = async (scene: Scene, ref: MessageRef, flag = JAPAN): Promise<void> => {
  await scene.listener.reactionChanged(ref, flag, false);
  await scene.idle();
};

describe('a flag that brings no translation', () => {
  const scene = withScene();
  /** What was answered to the only message. */
  const replies = (): string[] => scene.feed.texts(GENERAL).slice(1);

  it('says why in its own language, until the translation can be made', async () => {
    const { ref } = scene.feed.say(GENERAL, 'hello');
    scene.faults.set('hello', [missing()]);
    await press(scene, ref);
    expect(replies()).toEqual([`${JAPAN} ${japanese('reasons.missing')}`]);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'dead missing' });
    const [reply] = scene.feed.messages(GENERAL).slice(1);
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(replies()).toEqual([`${JAPAN} ja(hello)`]);
    expect(scene.feed.messages(GENERAL)[1]?.ref).toEqual(reply?.ref);
  });

  it('says why in English where nobody has written that language down', async () => {
    const { ref } = scene.feed.say(GENERAL, 'hello');
    scene.faults.set('hello', [missing()]);
    await press(scene, ref, '🇳🇱');
    expect(replies()).toEqual([`🇳🇱 ${sentence('errors.missing')}`]);
    await unpress(scene, ref, '🇳🇱');
    expect(replies()).toEqual([]);
  });

  it('tells of the limit of the day', async () => {
    await scene.spaces.change(SPACE, { dailyCharacters: 3 });
    const { ref } = scene.feed.say(GENERAL, 'hello');
    await press(scene, ref);
    const [told = ''] = replies();
    const limit = { used: 0, limit: 3 };
    const all = Array.from({ length: 24 }, (_, hour) =>
      say(japanese, { key: 'limits.characters', params: { ...limit, hours: hour + 1 } }),
    );
    expect(all.map((one) => `${JAPAN} ${one}`)).toContain(told);
    await scene.spaces.change(SPACE, { dailyCharacters: undefined });
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(replies()).toEqual([`${JAPAN} ja(hello)`]);
  });

  it('is held to the limit of the space alone, and counts as nobody’s own use', async () => {
    scene.personLimits.characters = 3;
    const { ref, author } = scene.feed.say(GENERAL, 'hello');
    await press(scene, ref);
    expect(replies()).toEqual([`${JAPAN} ja(hello)`]);
    expect(await scene.usage.todayOf(SPACE, author.id)).toMatchObject({ characters: 0 });
    expect(await scene.usage.today(SPACE)).toMatchObject({ characters: 5, messages: 1 });
  });

  it('tells the one who pressed it alone that the message is in its language, once', async () => {
    const { ref } = scene.feed.say(GENERAL, 'ja:hello');
    await scene.listener.reactionChanged(ref, JAPAN, true, 'bob');
    await scene.idle();
    await scene.restart();
    await press(scene, ref);
    const words = say(japanese, {
      key: 'translate.same-language',
      params: { language: { language: 'ja' } },
    });
    expect(replies()).toEqual([]);
    expect(scene.feed.whispered).toEqual([`bob: ${words}`]);
    expect(await scene.outcomes()).toEqual({ [ref.id]: 'skipped same-language' });
  });

  it('says what is missing in audio, a picture and a sticker, and nothing to who opted out', async () => {
    const heard = scene.feed.say(GENERAL, '', { files: [audio('')] });
    await press(scene, heard.ref);
    expect(replies()).toEqual([`${JAPAN} ${japanese('speech.nothing-heard')}`]);
    const picture = { ...audio('x'), name: 'x.png', mediaType: 'image/png' };
    const { platform } = SPACE;
    const out = { platform, id: 'eva', name: 'eva', locale: 'en', role: 'member' } as const;
    await scene.privacy.setOptedOut(out, true);
    const nothing = `${JAPAN} ${japanese('translate.nothing-to-translate')}`;
    for (const [text, part] of [
      ['', { stickers: [{ name: 'wave', url: 'https://a.example/wave.png' }] }],
      ['', { files: [picture] }],
    ] satisfies [string, Partial<Message>][]) {
      const { ref } = scene.feed.say(GENERAL, text, part);
      await press(scene, ref);
      expect(scene.feed.texts(GENERAL).at(-1)).toBe(nothing);
      expect(await scene.outcomes()).toMatchObject({ [ref.id]: 'skipped no-words' });
    }
    for (const [text, part] of [
      ['hello', { author: { id: 'eva', name: 'eva', kind: 'person' } }],
    ] satisfies [string, Partial<Message>][]) {
      const { ref } = scene.feed.say(GENERAL, text, part);
      await press(scene, ref);
      expect(scene.feed.texts(GENERAL).at(-1)).toBe(text);
    }
  });
});

describe('the reply to a flag', () => {
  const scene = withScene(linked());

  it('begins with the flag, whatever was heard', async () => {
    const { ref } = scene.feed.say(GENERAL, '', { files: [audio('hello')] });
    await press(scene, ref);
    await press(scene, ref, '🇪🇸');
    expect(scene.feed.texts(GENERAL).slice(1)).toEqual([
      `${JAPAN} ja(hello)\n🎧 hello`,
      '🇪🇸 es(hello)\n🎧 hello',
    ]);
  });

  it('goes with its flag though nobody knew where it stood, and leaves the others', async () => {
    const { ref } = scene.feed.say(GENERAL, 'hello');
    await press(scene, ref, '🇪🇸');
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    await press(scene, ref);
    expect(scene.feed.texts(GENERAL)).toHaveLength(3);
    await unpress(scene, ref);
    expect(scene.feed.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)']);
  });

  it('under a copy follows what the author of its source writes, also when it is tried again', async () => {
    const { ref } = await scene.say(ENGLISH, 'before');
    await scene.idle();
    const copyOf = (): Message => scene.feed.messages(SPANISH)[0] as Message;
    const reply = (): string | undefined => scene.feed.texts(SPANISH)[1];
    scene.faults.set('before', [missing()]);
    await press(scene, copyOf().ref);
    expect(reply()).toBe(`${JAPAN} ${japanese('reasons.missing')}`);
    await scene.inbox.revive(SPACE);
    await scene.idle();
    expect(reply()).toBe(`${JAPAN} ja(before)`);
    await scene.listener.messageChanged(scene.feed.edit(ref, 'after'));
    await scene.idle();
    await scene.listener.messageChanged(copyOf());
    await scene.idle();
    expect(reply()).toBe(`${JAPAN} ja(after)`);
  });
});

describe('the reply to a message of a watched channel', () => {
  const scene = withScene([watchOf(GENERAL, { languages: ['es', 'ja'] })]);

  it('is found again when it began with another mark, and not taken for that of a flag', async () => {
    scene.feed.fail({ call: 'create', error: lost(), after: true });
    const { ref } = await scene.say(GENERAL, 'hello');
    await scene.idle();
    await press(scene, ref, '🇫🇷');
    await scene.listener.messageChanged(scene.feed.edit(ref, 'es:hola'));
    await scene.idle();
    expect(scene.feed.texts(GENERAL)).toEqual([
      'es:hola',
      `${JAPAN} ja(es:hola)`,
      '🇫🇷 fr(es:hola)',
    ]);
  });
});

describe('the reply to a flag under one of our messages that shows several', () => {
  const scene = withScene([watchOf(GENERAL, { mode: 'compact', languages: ['es', 'ja'] })]);
  const FRANCE = '🇫🇷';

  /** Three messages that one compact reply shows, which is flagged, and what removes one of them. */
  const pressed = async () => {
    const refs: MessageRef[] = [];
    for (const words of ['one', 'two', 'three']) {
      refs.push((await scene.say(GENERAL, words)).ref);
      await scene.idle();
      scene.clock.aheadMs += 2_000;
    }
    const copy = scene.feed.messages(GENERAL).find(({ author }) => author.kind === 'ourselves')!;
    await press(scene, copy.ref, FRANCE);
    const shown = () => scene.feed.texts(GENERAL).filter((text) => text.startsWith(FRANCE));
    const remove = async (...of: number[]): Promise<void> => {
      const gone = of.map((at) => refs[at]!);
      for (const ref of gone) scene.feed.remove(ref);
      await scene.listener.messagesDeleted(gone);
      await scene.idle();
    };
    return { copy: copy.ref, shown, remove };
  };

  it('stays where another of these messages is deleted than the one that it shows', async () => {
    const { shown, remove } = await pressed();
    expect(shown()).toEqual([`${FRANCE} fr(one)`]);
    await remove(1);
    expect(shown()).toEqual([`${FRANCE} fr(one)`]);
    await remove(0);
    expect(shown()).toEqual([]);
  });

  it('can be asked for again once it went, and goes with the last of them', async () => {
    const { copy, shown, remove } = await pressed();
    await remove(1, 0);
    expect(shown()).toEqual([]);
    await press(scene, copy, FRANCE);
    expect(shown()).toEqual([`${FRANCE} fr(three)`]);
    await remove(2);
    expect(scene.feed.texts(GENERAL)).toEqual([]);
  });
});
