import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import { sentence } from '../../../src/rich-text/compose.ts';
import type { Message } from '../../../src/model/message.ts';
import { mention, type RichText } from '../../../src/rich-text/rich-text.ts';
import { channel, lost, person, SPACE } from '../../fakes/channel-feed.ts';
import { mirrorOf } from '../../fakes/autotranslate.ts';
import { ENGLISH, JAPANESE, withScene, WORKSPACE } from './support.ts';

const SPANISH = channel('spanish', undefined, WORKSPACE);
const asking = (id: string): RichText => sentence('ask ', mention(SPACE.platform, 'member', id));
/** A channel of the other platform with the id of one of the first. */
const TWIN = channel(ENGLISH.id, undefined, WORKSPACE);

describe('linked channels of two platforms', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [JAPANESE, 'ja']));

  it('show each message in the others, whichever platform they are on', async () => {
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.say(SPANISH, 'es:hola', { author: person('eva') });
    await scene.idle();
    expect(scene.other.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]', 'es:hola']);
    expect(scene.feed.texts(ENGLISH)).toEqual(['hello', 'eva: en(es:hola) [🌐 English]']);
    expect(scene.feed.texts(JAPANESE)).toHaveLength(2);
  });

  it('follow edits and deletes over to the other platform', async () => {
    const [one, two] = [await scene.say(ENGLISH, 'one'), await scene.say(ENGLISH, 'two')];
    await scene.idle();
    await scene.listener.messageChanged(scene.feed.edit(one.ref, 'uno'));
    scene.feed.remove(two.ref);
    await scene.listener.messagesDeleted([two.ref]);
    await scene.idle();
    expect(scene.other.texts(SPANISH)).toEqual(['ada: es(uno) [🌐 inglés]']);
    expect(scene.other.calls.filter((call) => call !== 'history')).toEqual([
      'create',
      'create',
      'update',
      'remove',
    ]);
  });

  it('quote what a message answers to as its readers find it, there and back', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const mirror = scene.other.messages(SPANISH)[0] as Message;
    await scene.say(SPANISH, 'es:adiós', { author: person('eva'), replyTo: mirror.ref });
    await scene.say(ENGLISH, 'bye', { author: person('bob'), replyTo: ref });
    await scene.idle();
    expect(scene.feed.texts(ENGLISH)).toContain('> ada: hello\neva: en(es:adiós) [🌐 English]');
    expect(scene.other.texts(SPANISH).at(-1)).toMatch(
      /^> Dragoman: .*es\(hello\).*\nbob: es\(bye\)/,
    );
  });

  it('name in a quote whom the platform of the quoted message knows', async () => {
    const { ref } = await scene.say(ENGLISH, asking('42'));
    await scene.say(ENGLISH, 'who?', { author: person('bob'), replyTo: ref });
    scene.other.remove((await mirrorsIn())[0]!.ref);
    await scene.say(ENGLISH, 'you', { author: person('bob'), replyTo: ref });
    await scene.idle();
    expect(scene.other.texts(SPANISH).at(-1)).toContain('> ada: ask @member-42\n');
  });
  const mirrorsIn = async (): Promise<readonly Message[]> => {
    await scene.idle();
    return scene.other.messages(SPANISH);
  };

  it('mention nobody in another space: names stand there that all readers of the source know', async () => {
    await scene.say(ENGLISH, asking('42'));
    await scene.say(ENGLISH, asking('1234567890'));
    const mirrors = await mirrorsIn();
    await scene.listener.reactionChanged(mirrors[0]!.ref, '🇫🇷', true);
    await scene.idle();
    expect(scene.other.texts(SPANISH)).toEqual([
      'ada: es(ask @member-42) [🌐 inglés]',
      'ada: es(ask @?) [🌐 inglés]',
      '🇫🇷 fr(ask @member-42)',
    ]);
    expect(JSON.stringify(scene.other.messages(SPANISH))).not.toContain('"mention"');
    expect(scene.feed.messages(JAPANESE)[0]?.text).toEqual(
      sentence('ada: ja(', asking('42'), ') [🌐 英語]'),
    );
  });

  it('ask for an opt-out under the platform where somebody wrote', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    const ada = { platform: SPACE.platform, id: 'ada' };
    await scene.privacy.setOptedOut({ ...ada, platform: WORKSPACE.platform }, true);
    await scene.say(ENGLISH, 'quoted', { author: person('bob'), replyTo: ref });
    await scene.privacy.setOptedOut(ada, true);
    await scene.idle();
    await scene.say(ENGLISH, 'not quoted', { author: person('bob'), replyTo: ref });
    await scene.say(ENGLISH, 'not shown');
    await scene.idle();
    const [, quoting, alone, ...more] = scene.other.texts(SPANISH);
    expect(alone).toBe('bob: es(not quoted) [🌐 inglés]');
    expect(more).toEqual([]);
    expect(quoting).toContain('bob: es(quoted)');
  });

  it('have one order, though each platform counts its positions for itself', async () => {
    const go = scene.hold('question');
    await scene.say(ENGLISH, 'question');
    await scene.say(SPANISH, 'es:respuesta', { author: person('eva') });
    await scene.say(ENGLISH, 'thanks');
    go();
    await scene.idle();
    expect(scene.feed.texts(JAPANESE)).toEqual([
      expect.stringContaining('question'),
      expect.stringContaining('respuesta'),
      expect.stringContaining('thanks'),
    ]);
  });

  it('get what is wanted in the end when one platform could not be reached', async () => {
    scene.other.fail({ call: 'create', error: lost(), after: true });
    await scene.say(ENGLISH, 'hello');
    await scene.later();
    expect(scene.other.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    expect(scene.feed.texts(JAPANESE)).toHaveLength(1);
    expect(Object.values(await scene.outcomes())).toEqual(['posted']);
  });

  it('go on where one of them is closed', async () => {
    scene.other.fail({ call: 'create', error: new AppError('forbidden', 'closed') });
    await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect([scene.feed.texts(JAPANESE).length, scene.other.texts(SPANISH)]).toEqual([1, []]);
    expect(Object.values(await scene.outcomes())).toEqual(['dead forbidden']);
    expect((await scene.inbox.backlog(SPACE)).dead).toBe(1);
    expect((await scene.inbox.backlog(WORKSPACE)).dead).toBe(0);
  });

  it('keep their mirrors over a restart, and find what nobody knows of', async () => {
    scene.other.fail({ call: 'create', error: lost(), after: true });
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    await scene.restart();
    const report = (of: typeof ENGLISH) => ({ channel: of, newest: undefined });
    scene.listener.messagesMissed([report(ENGLISH), report(JAPANESE)]);
    scene.listener.messagesMissed([report(SPANISH)]);
    await scene.later();
    await scene.listener.messageChanged(scene.feed.edit(ref, 'changed'));
    await scene.idle();
    expect(scene.other.texts(SPANISH)).toEqual(['ada: es(changed) [🌐 inglés]']);
  });
});

describe('channels of two platforms with one id', () => {
  const scene = withScene(mirrorOf([ENGLISH, 'en'], [TWIN, 'es']));

  it('are not taken for each other', async () => {
    const { ref } = await scene.say(ENGLISH, 'hello');
    await scene.idle();
    expect(scene.feed.texts(ENGLISH)).toEqual(['hello']);
    expect(scene.other.texts(TWIN)).toEqual(['ada: es(hello) [🌐 inglés]']);
    await scene.listener.messagesDeleted([{ channel: TWIN, id: ref.id }]);
    await scene.idle();
    expect(scene.other.texts(TWIN)).toHaveLength(1);
    scene.feed.remove(ref);
    await scene.listener.messagesDeleted([ref]);
    await scene.idle();
    expect(scene.other.texts(TWIN)).toEqual([]);
  });
});
