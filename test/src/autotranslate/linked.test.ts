import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Message } from '../../../src/model/message.ts';
import { channel, lost, person, SPACE } from '../../fakes/channel-feed.ts';
import { sentence } from '../../fakes/sentences.ts';
import { mirrorOf, watchOf } from '../../fakes/autotranslate.ts';
import { audio, ENGLISH, GENERAL, JAPANESE, linked, SPANISH, withScene } from './support.ts';

describe('linked channels', () => {
  const scene = withScene(linked());

  it('show each message in the others, under its author’s name and marked', async () => {
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    expect(scene.feed.texts(JAPANESE)).toEqual(['ada: ja(hello) [🌐 英語]']);
  });

  it('quote what a message answers to, in the readers’ own copy of it', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.say(ENGLISH, 'hello yourself', { author: person('bob'), replyTo: ref });
    await scene.idle();
    expect(scene.feed.texts(SPANISH)[1]).toMatch(/^> Dragoman: .*es\(hello\)/);
    const copy = scene.feed.messages(SPANISH)[0] as Message;
    await scene.say(SPANISH, 'es:adiós', { author: person('eva'), replyTo: copy.ref });
    await scene.idle();
    expect(scene.feed.texts(ENGLISH).at(-1)).toMatch(/^> ada: hello\neva: en\(es:adiós\)/);
  });

  it('quote what is posted together with its answer', async () => {
    const [begin, resolve] = [scene.hold('first'), scene.hold('hello')];
    await scene.say(ENGLISH, 'first');
    // It is prepared alone.
    await expect.poll(() => scene.contexts.has('first')).toBe(true);
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.say(SPANISH, 'es:adiós', { author: person('eva'), replyTo: ref });
    await scene.say(ENGLISH, 'again', { author: person('bob'), replyTo: ref });
    begin();
    // By now all three are prepared but for the first of them.
    await expect.poll(() => scene.contexts.has('again')).toBe(true);
    resolve();
    await scene.idle();
    expect(scene.feed.texts(SPANISH).slice(2)).toEqual([
      'ada: es(hello) [🌐 inglés]',
      '> ada: es(hello)\nbob: es(again) [🌐 inglés]',
    ]);
    expect(scene.feed.texts(JAPANESE).slice(1)).toEqual([
      'ada: ja(hello) [🌐 英語]',
      expect.stringMatching(/^> ada: ja\(hello\)\neva: ja\(es:adiós\)/),
      '> ada: ja(hello)\nbob: ja(again) [🌐 英語]',
    ]);
    expect(scene.feed.texts(ENGLISH).at(-1)).toMatch(/^> ada: hello\neva: en\(es:adiós\)/);
  });

  it('keep the order of the whole conversation', async () => {
    await scene.watches.set([watchOf(GENERAL)]);
    const resolve = scene.hold('question');
    await scene.say(ENGLISH, 'question');
    await scene.say(SPANISH, 'es:respuesta');
    // What waits for nothing would be there by now.
    for (const text of ['an aside', 'another one']) {
      await scene.say(GENERAL, text);
      await expect.poll(() => scene.feed.texts(GENERAL).at(-1)).toContain(`es(${text})`);
    }
    resolve();
    await scene.idle();
    expect(scene.feed.texts(JAPANESE)).toEqual([
      expect.stringContaining('question'),
      expect.stringContaining('respuesta'),
    ]);
  });

  describe('after a time away', () => {
    /** Reports what was said in two of the channels meanwhile, and something aside afterwards. */
    const comeBack = async (meanwhile: () => void) => {
      await scene.watches.set([watchOf(GENERAL)]);
      await scene.idle();
      await scene.restart();
      meanwhile();
      const histories = (): number => scene.feed.calls.filter((call) => call === 'history').length;
      const before = histories();
      const question = scene.feed.say(ENGLISH, 'question');
      const answer = scene.feed.say(SPANISH, 'es:respuesta');
      scene.listener.messagesMissed(
        [question, answer].map(({ ref, position }) => ({
          channel: ref.channel,
          newest: position,
        })),
      );
      // The channels that were missed are read first.
      await expect.poll(() => histories()).toBeGreaterThan(before);
      // What waits for nothing would be there by now.
      for (const text of ['an aside', 'another one']) {
        await scene.say(GENERAL, text);
        await expect.poll(() => scene.feed.texts(GENERAL).at(-1)).toContain(`es(${text})`);
      }
    };
    const QUESTION = expect.stringContaining('question') as string;
    const ANSWER = expect.stringContaining('respuesta') as string;

    it('keep the order, whichever channel is read first', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      await comeBack(() => scene.feed.during('history', () => promise)).finally(resolve);
      await scene.idle();
      expect(scene.feed.texts(JAPANESE)).toEqual([QUESTION, ANSWER]);
    });

    it('wait for a channel that can be read a moment later', async () => {
      await comeBack(() => scene.feed.fail({ call: 'history', error: lost() }));
      await expect.poll(() => scene.feed.texts(JAPANESE)).toEqual([QUESTION, ANSWER]);
    });

    it('wait for no channel that cannot be read now', async () => {
      const failing = { call: 'history', error: lost(), channel: ENGLISH } as const;
      await comeBack(() => scene.feed.fail(failing, failing));
      await expect.poll(() => scene.feed.texts(JAPANESE)).toEqual([ANSWER, QUESTION]);
    });
  });

  it('carry what is the same in every language', async () => {
    await scene.say(ENGLISH, '🎉');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)[0]).toContain('🎉');
  });

  it('show what could not be translated as it was written, and tell moderators', async () => {
    scene.faults.set(
      'hello',
      Array.from({ length: 2 }, () => new AppError('not-found', 'no engine')),
    );
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)[0]).toMatch(/^ada: hello \[⚠️/);
    expect((await scene.inbox.backlog(SPACE)).dead).toBe(1);
  });

  it('serve the other targets when one is lost', async () => {
    scene.feed.fail({ call: 'create', error: new AppError('forbidden', 'closed') });
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(SPANISH).length + scene.feed.texts(JAPANESE).length).toBe(1);
    expect(Object.values(await scene.outcomes())).toEqual(['dead forbidden']);
  });

  it('are no group any more when one is left', async () => {
    await scene.watches.set([watchOf(ENGLISH)]);
    await scene.watches.remove(SPANISH);
    expect(scene.watches.list(SPACE).map(({ channel: { id } }) => id)).toEqual(['english']);
  });

  it('are no group any more when all channels but one are deleted', async () => {
    await scene.listener.channelDeleted(ENGLISH);
    await scene.listener.channelDeleted(SPANISH);
    expect(scene.watches.list(SPACE)).toEqual([]);
  });

  it('do not get what was prepared before they were taken out', async () => {
    const go = scene.hold('first');
    await scene.say(ENGLISH, 'first');
    await expect.poll(() => scene.asked.get('ja')).toBe(1);
    await scene.watches.remove(JAPANESE);
    go();
    await scene.idle();
    expect(scene.feed.texts(JAPANESE)).toEqual([]);
    // The line on the channel that was taken out comes beside the copy.
    expect(scene.feed.texts(SPANISH).filter((text) => text.includes('es('))).toHaveLength(1);
  });

  it('take all copies along when a message goes', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    scene.feed.remove(ref);
    await scene.listener.memberBanned(SPACE, 'ada');
    await scene.idle();
    expect([...scene.feed.texts(SPANISH), ...scene.feed.texts(JAPANESE)]).toEqual([]);
  });

  it('show a message everywhere in the end when one of them could not be reached', async () => {
    scene.feed.fail({ call: 'create', error: lost() });
    await scene.say(ENGLISH, 'hello');
    await scene.later();
    expect(Object.values(await scene.outcomes())).toEqual(['posted']);
    expect([scene.feed.texts(SPANISH).length, scene.feed.texts(JAPANESE).length]).toEqual([1, 1]);
    expect(scene.feed.calls).not.toContain('update');
  });

  it('keep what stands of somebody who was banned, but for what went with them', async () => {
    const { ref } = await scene.say(ENGLISH, 'taken away');
    await scene.say(ENGLISH, 'left');
    await scene.idle();
    scene.feed.remove(ref);
    await scene.listener.memberBanned(SPACE, 'ada');
    await scene.idle();
    expect(scene.feed.texts(SPANISH)).toEqual(['ada: es(left) [🌐 inglés]']);
  });

  it('end with the last but one, whether the others leave or are watched in another way', async () => {
    await scene.watches.remove(JAPANESE);
    await scene.watches.set([watchOf(ENGLISH)]);
    expect(scene.watches.list(SPACE)).toEqual([watchOf(ENGLISH)]);
  });

  it('tell translators what was said in all of them', async () => {
    await scene.say(ENGLISH, 'hello');
    await scene.say(SPANISH, 'es:hola', { author: person('eva') });
    await scene.idle();
    expect(scene.contexts.get('es:hola')).toEqual(['ada: hello']);
  });

  it('may be two of one language, and show nothing where it was said', async () => {
    const second = channel('more-english');
    await scene.watches.set([...mirrorOf([ENGLISH, 'en'], [second, 'en'], [SPANISH, 'es'])]);
    await scene.say(ENGLISH, 'en:hello');
    await scene.idle();
    expect(scene.feed.texts(ENGLISH)).toEqual(['en:hello']);
    expect(scene.feed.texts(second)).toEqual(['ada: en:hello [↗]']);
  });

  it('carry files over, and name those that are too large', async () => {
    const large = { ...audio('x'.repeat(2_000)), name: 'large.txt', mediaType: 'text/plain' };
    const small = { ...audio('x'), name: 'small.txt', mediaType: 'text/plain' };
    await scene.say(ENGLISH, 'look', { files: [large, small] });
    await scene.idle();
    const reason = sentence('reasons.too-large', {}, 'es');
    const left = sentence('autotranslate.file-left-out', { name: 'large.txt', reason }, 'es');
    expect(scene.feed.texts(SPANISH)[0]).toBe(`ada: es(look)\n${left} [🌐 inglés]`);
    expect(scene.feed.files(SPANISH)).toEqual(['small.txt']);
  });

  it('do not quote somebody who opted out', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.privacy.setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    await scene.say(ENGLISH, 'who?', { author: person('bob'), replyTo: ref });
    await scene.idle();
    expect(scene.feed.texts(SPANISH)[1]).toBe('bob: es(who?) [🌐 inglés]');
  });

  it('quote nothing that may not be read, and wait for what can be read again', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const answer = async (error: AppError): Promise<void> => {
      scene.feed.fail({ call: 'read', error });
      await scene.say(ENGLISH, 'hi', { author: person('bob'), replyTo: ref });
    };
    const quoting = (at: number): number =>
      [SPANISH, JAPANESE].filter((one) => scene.feed.texts(one)[at]?.startsWith('>')).length;
    await answer(new AppError('forbidden', 'closed'));
    await scene.idle();
    expect(quoting(1)).toBe(1);
    await answer(lost());
    await scene.later();
    expect(quoting(2)).toBe(2);
  });
});

describe('a channel with a thread for each language', () => {
  const scene = withScene([watchOf(GENERAL, { mode: 'thread', languages: ['es'] })]);

  it('gets what is not in the thread’s language yet', async () => {
    await scene.watches.set([watchOf(GENERAL, { mode: 'thread', languages: ['es'] })]);
    await scene.say(GENERAL, 'hello');
    await scene.say(GENERAL, 'es:hola');
    await scene.idle();
    expect(scene.feed.texts(channel('general/🇪🇸 español'))).toEqual(['ada: es(hello) [🌐 inglés]']);
  });

  it('holds the files of few messages at once, however many channels have such', async () => {
    const channels = ['a', 'b', 'c'].map((id) => channel(id));
    await scene.watches.set(channels.map((one) => watchOf(one, { mode: 'thread' })));
    const opening = Promise.withResolvers<void>();
    let held = 0;
    for (const one of channels) {
      scene.feed.during('create', () => {
        held += 1;
        return opening.promise;
      });
      await scene.say(one, 'look', { files: [{ ...audio('x'), mediaType: 'text/plain' }] });
    }
    await expect.poll(() => held).toBe(2);
    await scene.say(channel('a'), 'without files');
    expect(held).toBe(2);
    opening.resolve();
    await scene.idle();
    expect(Object.values(await scene.outcomes())).toEqual(Array(4).fill('posted'));
  });
});
