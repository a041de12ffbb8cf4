import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

let count: (to: string) => void;

const translator: Translator = {
  async *translate({ text, to, context = [] }, signal) {
    count(to);
    contexts.set(text, context);
    await gates.get(text);
    signal.throwIfAborted();
    const fault = faults.get(text)?.shift();
    if (fault) throw fault;
    return yield* plainTranslator.translate({ text, to, place: SPACE }, signal);
  },
};

const open = async (): Promise<Watching> => {
  const opened = await openTestWatching(store, translator, (words) => gates.get(words));
  opened.attach(place.platform);
  return opened;
};

const outcomes = async (): Promise<Record<string, string>> => {
  const rows = await store.selectFrom('inbox').selectAll().orderBy('position').execute();
  return Object.fromEntries(
    rows.map(({ message_id: id, state, reason }) => [id, reason ? `${state} ${reason}` : state]),
  );
};

/** A recording of five minutes in which this is said. */
const recording = (words: string): Message['files'][number] => ({
  id: 'f',
  name: 'voice-message.ogg',
  mediaType: 'audio/ogg',
  sizeBytes: words.length,
  voice: { durationMs: 300_000, waveform: '' },
  async *open() {
    yield Buffer.from(words);
  },
});

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
  count = () => undefined;
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

describe('what is made good', () => {
  beforeEach(() => watching.watches.set([watchOf(GENERAL)]));

  it('an edit of a message whose row was cleared changes its copy, and posts no other', async () => {
    const { ref } = await say(GENERAL, 'old');
    await watching.idle();
    await store.deleteFrom('inbox').execute();
    await watching.watcher.seen(place.edit(ref, 'corrected'));
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['corrected', '🇪🇸 es(corrected)']);
  });

  it('what is tried again repairs what stands only in part, and doubles nothing', async () => {
    await watching.watches.set([watchOf(GENERAL, { languages: ['es', 'ja'] })]);
    faults.set('hello', [new AppError('bad-reply', 'unreadable')]);
    await say(GENERAL, 'hello');
    await watching.idle();
    expect(place.texts(GENERAL)).toHaveLength(2);
    await watching.inbox.revive(SPACE);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['hello', '🇪🇸 es(hello)\n🇯🇵 ja(hello)']);
  });

  it('what was translated is not translated again because something else failed', async () => {
    await watching.watches.set([watchOf(GENERAL, { languages: ['es', 'ja'] })]);
    const asked = new Map<string, number>();
    count = (to) => asked.set(to, (asked.get(to) ?? 0) + 1);
    faults.set('hello', [new AppError('unavailable', 'away', { retryable: true })]);
    await say(GENERAL, 'hello');
    await expect.poll(() => place.texts(GENERAL).length, { timeout: 5_000 }).toBe(2);
    expect([...asked.values()].toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  it('a message that is deleted before its reply is posted takes nothing else along', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('first', gate.promise);
    const { ref } = await say(GENERAL, 'first');
    place.remove(ref);
    place.fail({ call: 'copy', error: new AppError('not-found', 'the message is gone') });
    await say(GENERAL, 'second');
    gate.resolve();
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['second', '🇪🇸 es(second)']);
    expect(await outcomes()).toMatchObject({ [ref.id]: 'skipped deleted' });
  });

  it('a copy that a moderator took away does not come back, however often the message is edited', async () => {
    const { ref } = await say(GENERAL, 'one');
    await watching.idle();
    place.remove((place.messages(GENERAL).at(-1) as Message).ref);
    for (const text of ['two', 'three']) {
      await watching.watcher.seen(place.edit(ref, text));
      await watching.idle();
    }
    expect(place.texts(GENERAL)).toEqual(['three']);
  });

  it('an edit that has to wait holds up nothing that is new', async () => {
    const { ref } = await say(GENERAL, 'one');
    await watching.idle();
    const wait = new AppError('rate-limited', 'too old for more', {
      retryable: true,
      retryAfterMs: 60_000,
    });
    place.fail({ call: 'recopy', error: wait });
    await watching.watcher.seen(place.edit(ref, 'uno'));
    await say(GENERAL, 'two');
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['uno', '🇪🇸 es(one)', 'two', '🇪🇸 es(two)']);
  });

  it('a copy that may not be taken away is not forgotten: moderators are told', async () => {
    const { ref } = await say(GENERAL, 'one');
    await watching.idle();
    place.remove(ref);
    place.fail({ call: 'uncopy', error: new AppError('forbidden', 'closed') });
    await watching.watcher.gone([ref]);
    await watching.idle();
    expect((await watching.inbox.backlog(SPACE)).dead).toBe(1);
    await watching.inbox.revive(SPACE);
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual([]);
  });

  it('a message that becomes a command loses its translation', async () => {
    const { ref } = await say(GENERAL, 'hello');
    await watching.idle();
    await watching.watcher.seen(place.edit(ref, '!play hello'));
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['!play hello']);
    expect(await outcomes()).toEqual({ [ref.id]: 'skipped command' });
  });

  it('a late report brings no deleted message back', async () => {
    const message = await say(GENERAL, 'hello');
    await watching.idle();
    place.remove(message.ref);
    await watching.watcher.gone([message.ref]);
    await watching.watcher.seen({ ...message, text: 'hello!' });
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual([]);
  });

  it('what is no longer watched while it waits is left alone', async () => {
    const gate = Promise.withResolvers<void>();
    gates.set('hello', gate.promise);
    const { ref } = await say(GENERAL, 'hello');
    await watching.watches.remove(GENERAL);
    gate.resolve();
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['hello']);
    expect(await outcomes()).toEqual({ [ref.id]: 'skipped not-watched' });
  });

  it('a watch that goes takes along the line of progress of what is being heard', async () => {
    const heard = Promise.withResolvers<void>();
    gates.set('long', heard.promise);
    await say(GENERAL, '', { files: [recording('long')] });
    await expect.poll(() => place.texts(GENERAL).at(-1)).toBe('🎧 1:00 / 5:00 …');
    await watching.watches.remove(GENERAL);
    heard.resolve();
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['']);
  });

  it('a line of progress becomes the transcript', async () => {
    const heard = Promise.withResolvers<void>();
    gates.set('long', heard.promise);
    await say(GENERAL, '', { files: [recording('long')] });
    await expect.poll(() => place.texts(GENERAL).at(-1)).toBe('🎧 1:00 / 5:00 …');
    heard.resolve();
    await watching.idle();
    expect(place.texts(GENERAL)).toEqual(['', '🎧 long\n🇪🇸 es(long)']);
  });

  it('somebody who opts out while a message waits is neither translated nor quoted nor told of', async () => {
    const privacy = createPrivacy(store);
    const gate = Promise.withResolvers<void>();
    gates.set('wait', gate.promise);
    await say(GENERAL, 'wait');
    await say(GENERAL, 'mine', { author: person('bob') });
    await privacy.setOptedOut({ platform: SPACE.platform, id: 'bob' }, true);
    await watching.forgot({ platform: SPACE.platform, id: 'bob' });
    gate.resolve();
    await watching.idle();
    await say(GENERAL, 'later');
    await watching.idle();
    expect(contexts.get('later')).toEqual(['ada: wait']);
  });

  it('a daily limit counts what would be sent, and stops no text for want of minutes', async () => {
    const spaces = createSpaceSettings(store);
    await spaces.change(SPACE, { dailyCharacters: 10, dailyAudioMinutes: 0 });
    await watching[Symbol.asyncDispose]();
    watching = await open();
    await say(GENERAL, 'short');
    await watching.idle();
    const long = await say(GENERAL, 'far too long for it');
    await watching.idle();
    expect(place.texts(GENERAL)).toContain('🇪🇸 es(short)');
    expect((await outcomes())[long.ref.id]).toBe('skipped daily-limit');
  });

  it('a voice message in which nobody speaks is told as such', async () => {
    const { ref } = await say(GENERAL, '', { files: [recording('')] });
    await watching.idle();
    expect(await outcomes()).toEqual({ [ref.id]: 'skipped nothing-heard' });
  });

  it('a flag that is pressed and removed at once leaves nothing', async () => {
    const { ref } = place.say(channel('elsewhere'), 'hello');
    await Promise.all([
      watching.watcher.reacted(ref, '🇯🇵', true),
      watching.watcher.reacted(ref, '🇯🇵', false),
    ]);
    await watching.idle();
    expect(place.texts(channel('elsewhere'))).toEqual(['hello']);
  });

  it('leaves no words in the database’s files once they are cleared', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'dragoman-words-'));
    const file = join(folder, 'words.db');
    await watching[Symbol.asyncDispose]();
    await store.destroy();
    store = await openStore(`sqlite:${file}`);
    watching = await open();
    await watching.watches.set([watchOf(GENERAL)]);
    for (let at = 0; at < 20; at += 1) await say(GENERAL, `confidential matter ${at}`);
    await watching.idle();
    await watching.forgot({ platform: SPACE.platform, id: 'nobody' });
    for (const name of readdirSync(folder))
      expect(readFileSync(join(folder, name)).includes('confidential')).toBe(false);
    rmSync(folder, { recursive: true });
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

  it('are no group any more when one is left', async () => {
    await watching.watches.set([watchOf(ENGLISH)]);
    await watching.watches.remove(SPANISH);
    expect(watching.watches.list(SPACE).map(({ channel: { id } }) => id)).toEqual(['english']);
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
