import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../../src/errors.ts';
import type { Channel, Message } from '../../../src/model.ts';
import type { ChannelWatch, Translator } from '../../../src/services.ts';
import { openStore, type Store } from '../../../src/store/index.ts';
import { createPrivacy } from '../../../src/store/privacy.ts';
import { createSpaceSettings } from '../../../src/store/space-settings.ts';
import type { Watching } from '../../../src/watch/index.ts';
import {
  channel,
  createWatchedPlace,
  lost,
  person,
  SPACE,
  type WatchedPlace,
} from '../../fakes/watched-place.ts';
import { mirrorOf, openTestWatching, plainTranslator, watchOf } from '../../fakes/watching.ts';

const GENERAL = channel('general');
const ENGLISH = channel('english');
const SPANISH = channel('spanish');
const JAPANESE = channel('japanese');

const group = (): ChannelWatch[] => mirrorOf([ENGLISH, 'en'], [SPANISH, 'es'], [JAPANESE, 'ja']);

let place: WatchedPlace;
let store: Store;
let watching: Watching;
/** What the translator does with the next texts, in place of translating. */
let faults: Map<string, AppError[]>;
let gates: Map<string, Promise<void>>;
let contexts: Map<string, readonly string[]>;

const translator: Translator = {
  async *translate({ text, to, context = [] }, signal) {
    contexts.set(text, context);
    await gates.get(text);
    signal.throwIfAborted();
    const fault = faults.get(text)?.shift();
    if (fault) throw fault;
    return yield* plainTranslator.translate({ text, to, space: SPACE }, signal);
  },
};

const open = async (): Promise<Watching> => {
  const opened = await openTestWatching(store, translator);
  opened.attach(place.platform);
  return opened;
};

const outcomes = async (): Promise<Record<string, string>> => {
  const rows = await store.selectFrom('inbox').selectAll().orderBy('position').execute();
  return Object.fromEntries(
    rows.map(({ message_id: id, state, reason }) => [id, reason ? `${state} ${reason}` : state]),
  );
};

const say = async (to: Channel, text: string, part: Partial<Message> = {}): Promise<Message> => {
  const message = place.say(to, text, part);
  await watching.watcher.seen(message);
  return message;
};

beforeEach(async () => {
  place = createWatchedPlace();
  store = await openStore('sqlite::memory:');
  faults = new Map();
  gates = new Map();
  contexts = new Map();
  watching = await open();
});

afterEach(async () => {
  await watching[Symbol.asyncDispose]();
  await store.destroy();
});

describe('a channel that is translated in place', () => {
  beforeEach(() => watching.watches.set([watchOf(GENERAL, { languages: ['es', 'ja'] })]));

  it('gets one reply under a message, with each language marked', async () => {
    const message = await say(GENERAL, 'hello there');
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['hello there', '🇪🇸 es(hello there)\n🇯🇵 ja(hello there)']);
    expect(await outcomes()).toEqual({ [message.ref.id]: 'posted' });
  });

  it('keeps no text once the outcome is reached', async () => {
    await say(GENERAL, 'a secret');
    await watching.idle();
    const rows = await store.selectFrom('inbox').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it('passes over what is in a target already', async () => {
    await say(GENERAL, 'es:hola');
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['es:hola', '🇯🇵 ja(es:hola)']);
  });

  it.each([
    ['commands', '!play a song', {}, 'skipped command'],
    ['smiles', '😀 😀', {}, 'skipped no-words'],
    ['other bots', 'beep boop', { author: { id: 'b', name: 'b', kind: 'bot' } }, 'skipped bot'],
    ['what the platform says', 'Ada joined', { system: true }, 'skipped system'],
  ] as const)('leaves %s alone', async (_, text, part, outcome) => {
    const { ref } = await say(GENERAL, text, part);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual([text]);
    expect(await outcomes()).toEqual({ [ref.id]: outcome });
  });

  it('leaves people who opted out alone, and stores nothing of what they write', async () => {
    await createPrivacy(store).setOptedOut({ platform: SPACE.platform, id: 'ada' }, true);
    const { ref } = await say(GENERAL, 'not for you');
    await watching.idle();
    expect(await outcomes()).toEqual({ [ref.id]: 'skipped opted-out' });
    expect(place.texts(GENERAL)).toHaveLength(1);
  });

  it('never answers itself', async () => {
    await say(GENERAL, 'hello');
    await watching.idle();
    for (const message of place.messages(GENERAL)) await watching.watcher.seen(message);
    await watching.idle();
    expect(place.texts(GENERAL)).toHaveLength(2);
  });

  it('does nothing twice for a message that is reported twice', async () => {
    const message = await say(GENERAL, 'hello');
    await watching.watcher.seen(message);
    await watching.idle();
    await watching.watcher.seen(message);
    await watching.idle();
    expect(place.texts(GENERAL)).toHaveLength(2);
  });

  it('follows an edit, and a delete', async () => {
    const { ref } = await say(GENERAL, 'before');
    await watching.idle();
    await watching.watcher.seen(place.edit(ref, 'after'));
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)\n🇯🇵 ja(after)']);
    place.remove(ref);
    await watching.watcher.gone([ref]);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual([]);
    expect(await outcomes()).toEqual({ [ref.id]: 'skipped deleted' });
  });

  it('lets an edit win that comes before its translation is done', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('before', gate.promise);
    const { ref } = await say(GENERAL, 'before');
    await watching.watcher.seen(place.edit(ref, 'after'));
    gate.resolve();
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)\n🇯🇵 ja(after)']);
  });

  it('posts nothing of a message that is deleted while it is translated', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('oops', gate.promise);
    const { ref } = await say(GENERAL, 'oops');
    place.remove(ref);
    await watching.watcher.gone([ref]);
    gate.resolve();
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual([]);
  });

  it('does not put back a translation that a moderator deleted', async () => {
    const { ref } = await say(GENERAL, 'before');
    await watching.idle();
    const copy = place.messages(GENERAL).at(-1) as Message;
    place.remove(copy.ref);
    await watching.watcher.seen(place.edit(ref, 'after'));
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['after']);
  });

  it('posts in the order of the channel, however long each takes', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('first', gate.promise);
    await say(GENERAL, 'first');
    await say(GENERAL, 'second');
    gate.resolve();
    await watching.idle();
    expect(place.texts(GENERAL).slice(2)).toEqual([
      '🇪🇸 es(first)\n🇯🇵 ja(first)',
      '🇪🇸 es(second)\n🇯🇵 ja(second)',
    ]);
  });

  it('tells the translator what was said before', async () => {
    await say(GENERAL, 'one');
    await say(GENERAL, 'two', { author: person('bob') });
    await watching.idle();
    expect(contexts.get('two')).toEqual(['ada: one']);
  });

  it('writes down voice messages', async () => {
    const file = {
      id: 'f',
      name: 'voice-message.ogg',
      mediaType: 'audio/ogg',
      sizeBytes: 5,
      async *open() {
        yield Buffer.from('hello');
      },
    };
    await say(GENERAL, '', { files: [file] });
    await watching.idle();
    expect(place.texts(GENERAL)[1]).toBe('🎧 hello\n🇪🇸 es(hello)\n🇯🇵 ja(hello)');
  });

  it('gives a long transcript as files too', async () => {
    const words = 'We talked about it for a long time. '.repeat(100);
    const file = {
      id: 'f',
      name: 'talk.ogg',
      mediaType: 'audio/ogg',
      sizeBytes: words.length,
      async *open() {
        yield Buffer.from(words);
      },
    };
    await say(GENERAL, '', { files: [file] });
    await watching.idle();
    expect(place.files(GENERAL)).toEqual(['transcript.txt', 'transcript.srt', 'transcript.vtt']);
  });

  it('tries again what may do better, before what came after it', async () => {
    faults.set('first', [new AppError('unavailable', 'away', { retryable: true })]);
    await say(GENERAL, 'first');
    await say(GENERAL, 'second');
    await expect.poll(() => place.texts(GENERAL).length, { timeout: 5_000 }).toBe(4);
    expect(place.texts(GENERAL)[2]).toContain('first');
  });

  it('gives up what cannot be done, keeps it for moderators, and goes on', async () => {
    faults.set(
      'bad',
      Array.from({ length: 2 }, () => new AppError('bad-reply', 'unreadable')),
    );
    const { ref } = await say(GENERAL, 'bad');
    await say(GENERAL, 'good');
    await watching.idle();
    expect(place.texts(GENERAL).at(-1)).toContain('es(good)');
    const backlog = await watching.inbox.backlog(SPACE);
    expect(backlog).toMatchObject({ waiting: 0, dead: 1, newestDead: [{ reason: 'bad-reply' }] });
    expect(await watching.inbox.revive(SPACE)).toBe(1);
    await watching.idle();
    expect((await outcomes())[ref.id]).toBe('posted');
    expect(place.texts(GENERAL).at(-1)).toContain('es(bad)');
  });

  it('does not post twice when the answer to a post was lost', async () => {
    place.fail({ call: 'copy', error: lost(), after: true });
    await say(GENERAL, 'once');
    await expect
      .poll(async () => Object.values(await outcomes()), { timeout: 5_000 })
      .toEqual(['posted']);
    expect(place.texts(GENERAL)).toHaveLength(2);
  });
});

describe('linked channels', () => {
  beforeEach(() => watching.watches.set(group()));

  it('show each message in the others, under its author’s name and marked', async () => {
    await say(ENGLISH, 'hello');
    await watching.idle();
    expect(place.texts(SPANISH)).toEqual(['ada: es(hello) [🌐 inglés]']);
    expect(place.texts(JAPANESE)).toEqual(['ada: ja(hello) [🌐 英語]']);
  });

  it('quote what a message answers to, in the readers’ own copy of it', async () => {
    const { ref } = await say(ENGLISH, 'hello');
    await say(ENGLISH, 'hello yourself', { author: person('bob'), replyTo: ref });
    await watching.idle();
    expect(place.texts(SPANISH)[1]).toMatch(/^> Dragoman: .*es\(hello\)/);
    const copy = place.messages(SPANISH)[0] as Message;
    await say(SPANISH, 'es:adiós', { author: person('eva'), replyTo: copy.ref });
    await watching.idle();
    expect(place.texts(ENGLISH).at(-1)).toMatch(/^> ada: hello\neva: en\(es:adiós\)/);
  });

  it('keep the order of the whole conversation', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('question', gate.promise);
    await say(ENGLISH, 'question');
    await say(SPANISH, 'es:respuesta');
    gate.resolve();
    await watching.idle();
    expect(place.texts(JAPANESE)).toEqual([
      expect.stringContaining('question'),
      expect.stringContaining('respuesta'),
    ]);
  });

  it('carry what is the same in every language', async () => {
    await say(ENGLISH, '🎉');
    await watching.idle();
    expect(place.texts(SPANISH)[0]).toContain('🎉');
  });

  it('show what could not be translated as it was written, and tell moderators', async () => {
    faults.set(
      'hello',
      Array.from({ length: 2 }, () => new AppError('not-found', 'no engine')),
    );
    await say(ENGLISH, 'hello');
    await watching.idle();
    expect(place.texts(SPANISH)[0]).toMatch(/^ada: hello \[⚠️/);
    expect((await watching.inbox.backlog(SPACE)).dead).toBe(1);
  });

  it('serve the other targets when one is lost', async () => {
    place.fail({ call: 'copy', error: new AppError('forbidden', 'closed') });
    await say(ENGLISH, 'hello');
    await watching.idle();
    expect(place.texts(SPANISH).length + place.texts(JAPANESE).length).toBe(1);
    expect(Object.values(await outcomes())).toEqual(['dead forbidden']);
  });

  it('take all copies along when a message goes', async () => {
    const { ref } = await say(ENGLISH, 'hello');
    await watching.idle();
    place.remove(ref);
    await watching.watcher.banned(SPACE, 'ada');
    await watching.idle();
    expect([...place.texts(SPANISH), ...place.texts(JAPANESE)]).toEqual([]);
  });
});

describe('a channel with a thread for each language', () => {
  it('gets what is not in the thread’s language yet', async () => {
    await watching.watches.set([watchOf(GENERAL, { mode: 'thread', languages: ['es'] })]);
    await say(GENERAL, 'hello');
    await say(GENERAL, 'es:hola');
    await watching.idle();
    expect(place.texts(channel('general/🇪🇸 español'))).toEqual(['ada: es(hello) [🌐 inglés]']);
  });
});

describe('a flag', () => {
  it('brings a translation once, however many press it', async () => {
    const { ref } = place.say(GENERAL, 'hello');
    for (const _ of [1, 2, 3]) await watching.watcher.reacted(ref, '🇯🇵', true);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['hello', '🇯🇵 ja(hello)']);
  });

  it('takes it away again when the last one is removed', async () => {
    const { ref } = place.say(GENERAL, 'hello');
    await watching.watcher.reacted(ref, '🇯🇵', true);
    await watching.idle();
    await watching.watcher.reacted(ref, '🇯🇵', false);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['hello']);
  });

  it('has its translation follow an edit', async () => {
    const { ref } = place.say(GENERAL, 'before');
    await watching.watcher.reacted(ref, '🇪🇸', true);
    await watching.idle();
    await watching.watcher.seen(place.edit(ref, 'after'));
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['after', '🇪🇸 es(after)']);
  });

  it('does nothing where the space switched flags off, or maps the emoji to another language', async () => {
    const spaces = createSpaceSettings(store);
    await spaces.change(SPACE, { flags: { on: true, languages: { '🇯🇵': 'es' } } });
    await watching[Symbol.asyncDispose]();
    watching = await open();
    const { ref } = place.say(GENERAL, 'hello');
    await watching.watcher.reacted(ref, '🇯🇵', true);
    await watching.watcher.reacted(ref, '🎉', true);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)']);
  });
});

describe('after a time away', () => {
  beforeEach(() => watching.watches.set([watchOf(GENERAL)]));

  const comeBack = async (): Promise<void> => {
    await watching[Symbol.asyncDispose]();
    watching = await open();
  };

  it('what came meanwhile is caught up in order, and what comes then stands behind it', async () => {
    await say(GENERAL, 'seen');
    await watching.idle();
    for (const text of ['missed 1', 'missed 2']) place.say(GENERAL, text);
    await comeBack();
    const later = place.say(GENERAL, 'live');
    watching.watcher.missed([{ channel: GENERAL, newest: later.position }]);
    await watching.watcher.seen(later);
    await watching.idle();
    expect(place.texts(GENERAL).slice(-3)).toEqual(
      ['missed 1', 'missed 2', 'live'].map((text) => `🇪🇸 es(${text})`),
    );
  });

  it('edits and deletes that nobody reported are found too', async () => {
    const [edited, removed] = [await say(GENERAL, 'edited'), await say(GENERAL, 'removed')];
    await say(GENERAL, 'before them');
    await watching.idle();
    place.edit(edited.ref, 'corrected');
    place.remove(removed.ref);
    const { position } = place.say(GENERAL, 'new');
    await comeBack();
    watching.watcher.missed([{ channel: GENERAL, newest: position }]);
    await watching.idle();
    expect(place.texts(GENERAL)).not.toContain('🇪🇸 es(removed)');
  });

  it('nothing is fetched where nothing came', async () => {
    await comeBack();
    const calls = place.calls.length;
    watching.watcher.missed([{ channel: GENERAL, newest: '0'.repeat(20) }]);
    await watching.idle();
    expect(place.calls.slice(calls)).not.toContain('history');
  });

  it('a history that cannot be read is read again', async () => {
    const { position } = place.say(GENERAL, 'missed');
    await comeBack();
    place.fail({ call: 'history', error: lost() });
    watching.watcher.missed([{ channel: GENERAL, newest: position }]);
    await expect
      .poll(() => place.texts(GENERAL).at(-1), { timeout: 5_000 })
      .toContain('es(missed)');
  });
});
