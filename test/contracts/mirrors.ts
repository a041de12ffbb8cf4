import { expect } from 'vitest';
import { AppError } from '../../src/errors.ts';
import { plainWords } from '../../src/rich-text/compose.ts';
import type { MessageRef, Posted } from '../../src/model/place.ts';
import { link, paragraph, text as textNode } from '../../src/rich-text/rich-text.ts';
import type { CreateOptions, Mirror } from '../../src/ports/mirrors.ts';
import { never, type FeedSubject } from './channel-feed.ts';
import type { Contract } from './contract.ts';

const mirrorOf = (source: MessageRef, text: string, part: Partial<Mirror> = {}): Mirror => ({
  source,
  key: 'watch',
  content: { text: plainWords(text) },
  label: [textNode('🌐 English')],
  as: { name: 'Ann' },
  ...part,
});

/** A reply under its source. */
const replyTo = (source: MessageRef, text: string, key: string, label: string): Mirror => ({
  source,
  key,
  label: [textNode(label)],
  content: { text: plainWords(text) },
});

const create = async (
  { mirrors }: FeedSubject,
  channel: FeedSubject['channel'],
  all: readonly Mirror[],
  options: Partial<CreateOptions> = {},
): Promise<Posted[]> =>
  Array.fromAsync(
    mirrors.create({ channel }, all, { mayExist: false, signal: never(), ...options }),
  );

/** How many of the texts hold each of these words. */
const counts = (texts: readonly string[], ...words: readonly string[]): number[] =>
  words.map((word) => texts.filter((text) => text.includes(word)).length);

/** The assertion of a caller whose lease is over. */
const assertHeld = (): void => {
  throw new AppError('cancelled', 'the lease is not held any more');
};

/** The rules of `Mirrors`. */
export const MIRRORS_CONTRACT = {
  'posts mirrors in their order, and says where each stands': async (subject) => {
    const { channel, other, say } = subject;
    const sources = [await say(channel, 'one'), await say(channel, 'two')];
    const posted = await create(
      subject,
      other,
      sources.map((source, at) => mirrorOf(source, ['uno', 'dos'][at] ?? '')),
    );
    expect(posted.map((one) => one.channel)).toEqual([other, other]);
    const text = (await subject.texts(other)).join('\n');
    expect(text.indexOf('uno')).toBeGreaterThanOrEqual(0);
    expect(text.indexOf('dos')).toBeGreaterThan(text.indexOf('uno'));
  },

  'posts nothing once its caller must not act any more, though nothing else tells so': async (
    subject,
  ) => {
    const { channel, other, say, texts } = subject;
    const source = await say(channel, 'one');
    for (const as of [{ name: 'Ann' }, undefined]) {
      const { as: _, ...mirror } = mirrorOf(source, 'uno');
      const mirrors = [{ ...mirror, ...(as ? { as } : {}) }];
      const posting = create(subject, other, mirrors, { assertHeld });
      await expect(posting).rejects.toMatchObject({ code: 'cancelled' });
    }
    expect(counts(await texts(other), 'uno')).toEqual([0]);
  },

  'changes and deletes nothing once its caller must not act any more, and leaves all to the next one':
    async (subject) => {
      const { mirrors, channel, other, say, texts } = subject;
      const source = await say(channel, 'one');
      const all = [
        { to: other, mirror: mirrorOf(source, 'uno'), now: mirrorOf(source, 'otro') },
        {
          to: channel,
          mirror: replyTo(source, 'uno', 'watch', '🇪🇸'),
          now: replyTo(source, 'otro', 'watch', '🇪🇸'),
        },
      ];
      for (const { to, mirror, now } of all) {
        const [posted] = await create(subject, to, [mirror]);
        const before = await texts(to);
        for (const act of [
          () => mirrors.update(posted!, now, { assertHeld }),
          () => mirrors.remove(posted!, source, { assertHeld }),
          () => mirrors.removeOrphans({ channel: to }, source, { assertHeld }),
          () => create(subject, to, [now], { mayExist: true, assertHeld }),
        ]) {
          await expect(act()).rejects.toMatchObject({ code: 'cancelled' });
          expect(await texts(to)).toEqual(before);
        }
        await mirrors.update(posted!, now, { sinceMs: 0 });
        expect(counts(await texts(to), 'uno', 'otro')).toEqual([0, 1]);
      }
    },

  'begins no thread once its caller must not act any more': async (subject) => {
    const { mirrors, channel, texts } = subject;
    const beginning = mirrors.thread(channel, 'Español', { assertHeld });
    await expect(beginning).rejects.toMatchObject({ code: 'cancelled' });
    expect(await texts(channel)).toEqual([]);
  },

  'puts its own reaction under a message and takes it away, at the second time as at the first':
    async (subject) => {
      const { mirrors, channel, other, say, reacted, react } = subject;
      const source = await say(channel, 'one');
      const [posted] = await create(subject, other, [mirrorOf(source, 'uno')]);
      const ref = { channel: other, id: posted!.ids[0] };
      for (const emoji of ['❤️', '👍🏽', '🏳️‍🌈', '1️⃣']) {
        for (const _ of [1, 2]) await mirrors.react!(ref, emoji, true);
        expect(reacted(ref)).toEqual([emoji]);
        for (const _ of [1, 2]) await mirrors.react!(ref, emoji, false);
        expect(reacted(ref)).toEqual([]);
      }
      await react(ref, '❤️');
      await mirrors.react!(ref, '❤️', true);
      await mirrors.react!(ref, '❤️', false);
      expect(reacted(ref)).toEqual([]);
    },

  'tells when the message of a reaction is gone': async ({ mirrors, channel, say, remove }) => {
    const source = await say(channel, 'one');
    await remove(source);
    await expect(mirrors.react!(source, '❤️', true)).rejects.toMatchObject({ code: 'not-found' });
  },

  'finds a mirror by its key, whatever it shows now': async (subject) => {
    const { channel, other, say, texts } = subject;
    const source = await say(channel, 'one');
    const [first] = await create(subject, other, [mirrorOf(source, 'uno')]);
    const now = mirrorOf(source, 'otro', { label: [textNode('⚠️')] });
    const [again] = await create(subject, other, [now], { mayExist: true });
    expect(again?.ids).toEqual(first?.ids);
    expect(counts(await texts(other), 'uno', 'otro')).toEqual([0, 1]);
  },

  'finds a reply by its key, though it began with another label': async (subject) => {
    const { channel, say, texts } = subject;
    const source = await say(channel, 'one');
    const [first] = await create(subject, channel, [replyTo(source, 'uno', 'watch', '🇪🇸')]);
    const now = replyTo(source, 'ichi', 'watch', '🇯🇵');
    const [again] = await create(subject, channel, [now], { mayExist: true });
    expect(again?.ids).toEqual(first?.ids);
    expect(counts(await texts(channel), 'uno', 'ichi')).toEqual([0, 1]);
  },

  'tells the replies to one message apart by their keys': async (subject) => {
    const { channel, say, texts } = subject;
    const source = await say(channel, 'one');
    const french = replyTo(source, 'un', 'flag:fr', '🇫🇷');
    const [others] = await create(subject, channel, [french]);
    const spanish = replyTo(source, 'uno', 'watch', '🇪🇸');
    const options = { mayExist: true, others: [others!] };
    const [posted] = await create(subject, channel, [spanish], options);
    expect(posted?.ids).not.toEqual(others?.ids);
    expect(counts(await texts(channel), '🇫🇷 un', '🇪🇸 uno')).toEqual([1, 1]);
  },

  'posts what may exist and does not': async (subject) => {
    const source = await subject.say(subject.channel, 'one');
    await create(subject, subject.other, [mirrorOf(source, 'uno')], { mayExist: true });
    expect(counts(await subject.texts(subject.other), 'uno')).toEqual([1]);
  },

  'tells when the source of a reply was deleted, and posts nothing': async (subject) => {
    const { channel, say, remove, texts } = subject;
    const source = await say(channel, 'one');
    await remove(source);
    for (const mayExist of [false, true]) {
      const replying = create(subject, channel, [replyTo(source, 'uno', 'watch', '🇪🇸')], {
        mayExist,
      });
      await expect(replying).rejects.toMatchObject({ name: 'AppError', code: 'not-found' });
    }
    expect(counts(await texts(channel), 'uno')).toEqual([0]);
  },

  'shows a mirror anew in its place, and tells when it was deleted': async (subject) => {
    const { mirrors, channel, other, say, texts } = subject;
    const source = await say(channel, 'one');
    const [posted] = await create(subject, other, [mirrorOf(source, 'uno')]);
    const now = await mirrors.update(posted!, mirrorOf(source, 'otro'));
    expect(counts(await texts(other), 'uno', 'otro')).toEqual([0, 1]);
    await subject.remove({ channel: other, id: now.ids[0] });
    await expect(mirrors.update(now, mirrorOf(source, 'nada'))).rejects.toMatchObject({
      name: 'AppError',
      code: 'not-found',
    });
  },

  'takes a quote out of its mirror alone, at the second time as at the first': async (subject) => {
    const { mirrors, channel, other, say, texts } = subject;
    const answered = await say(channel, 'zero');
    const sources = [await say(channel, 'one'), await say(channel, 'two'), await say(other, 'x')];
    const quote = { name: 'Bob', text: 'secret', ref: answered };
    const all = ['uno', 'dos', 'tres'].map((text, at) =>
      mirrorOf(sources[at]!, text, at === 1 ? {} : { quote }),
    );
    const posted = await create(subject, other, all);
    expect(counts(await texts(other), 'secret')).not.toEqual([0]);
    for (const at of [0, 2]) {
      const refusing = mirrors.unquote(posted[at]!, sources[at]!, { assertHeld });
      await expect(refusing).rejects.toMatchObject({ code: 'cancelled' });
      for (const _ of [1, 2]) await mirrors.unquote(posted[at]!, sources[at]!);
    }
    const shown = (await texts(other)).join('\n');
    for (const word of ['uno', 'dos', 'tres']) expect(shown).toContain(word);
    expect(shown).not.toContain('secret');
    await create(subject, other, [mirrorOf(sources[0]!, 'otro')], { mayExist: true });
    expect(counts(await texts(other), 'uno', 'otro')).toEqual([0, 1]);
    await mirrors.remove(posted[1]!, sources[1]!);
    const gone = mirrors.unquote(posted[1]!, sources[1]!);
    await expect(gone).rejects.toMatchObject({ code: 'not-found' });
  },

  'removes one mirror, leaves the others, and does not mind removing it again': async (subject) => {
    const { mirrors, channel, other, say, texts } = subject;
    const sources = [await say(channel, 'one'), await say(channel, 'two')];
    const [first] = await create(
      subject,
      other,
      sources.map((source, at) => mirrorOf(source, ['uno', 'dos'][at] ?? '')),
    );
    await mirrors.remove(first!, sources[0]!);
    await mirrors.remove(first!, sources[0]!);
    expect(counts(await texts(other), 'uno', 'dos')).toEqual([0, 1]);
  },

  'removes the orphans of a source, and nothing else': async (subject) => {
    const { mirrors, channel, other, say, texts } = subject;
    const sources = [await say(channel, 'one'), await say(channel, 'two')];
    const all = sources.map((source, at) => mirrorOf(source, ['uno', 'dos'][at] ?? ''));
    await create(subject, other, all);
    await mirrors.removeOrphans({ channel: other }, sources[0]!);
    expect(counts(await texts(other), 'uno', 'dos')).toEqual([0, 1]);
  },

  'removes the orphans of one key, and no reply of another': async (subject) => {
    const { mirrors, channel, say, texts } = subject;
    const source = await say(channel, 'one');
    const [kept] = await create(subject, channel, [replyTo(source, 'uno', 'flag:es', '🇪🇸')]);
    await create(subject, channel, [replyTo(source, 'un', 'flag:fr', '🇫🇷')]);
    const only = { key: 'flag:fr', others: [kept!] };
    await mirrors.removeOrphans({ channel }, source, only);
    expect(counts(await texts(channel), '🇪🇸 uno', '🇫🇷 un')).toEqual([1, 0]);
  },

  'has one standing thread of a name, in which mirrors stand': async (subject) => {
    const { mirrors, channel, say } = subject;
    const target = await mirrors.thread(channel, 'Español');
    expect(await mirrors.thread(channel, 'Español')).toEqual(target);
    expect(await mirrors.thread(channel, '日本語')).not.toEqual(target);
    expect(await mirrors.thread(channel, 'Castellano', { known: target })).toEqual(target);
    const source = await say(channel, 'one');
    const options = { mayExist: false, signal: never() };
    const [posted] = await Array.fromAsync(
      mirrors.create(target, [mirrorOf(source, 'uno')], options),
    );
    const again = mirrors.create(target, [mirrorOf(source, 'uno')], { ...options, mayExist: true });
    expect((await Array.fromAsync(again))[0]?.ids).toEqual(posted?.ids);
  },

  'begins the thread of a conversation once, under its message where there is one': async (
    subject,
  ) => {
    const { mirrors, channel, other, say, texts } = subject;
    const source = await say(channel, 'one');
    const [copy] = await create(subject, other, [mirrorOf(source, 'uno')]);
    const start: MessageRef = { channel: other, id: copy!.ids[0] };
    const url = 'https://example.com/threads/1';
    const opening = [paragraph(link(url, textNode('planes')))];
    const alone = { key: 'first', opening, url, mayExist: false, sinceMs: Date.now() - 60_000 };
    const under = { ...alone, from: start };
    const target = await mirrors.openThread(other, 'planes', under);
    expect(await mirrors.openThread(other, 'otra cosa', under)).toEqual(target);
    expect(counts(await texts(other), 'planes')).toEqual([0]);
    const begun = await mirrors.openThread(other, 'planes', { ...alone, key: 'second' });
    expect(begun).not.toEqual(target);
    const again = { ...alone, key: 'second', mayExist: true };
    expect(await mirrors.openThread(other, 'planes', again)).toEqual(begun);
    await subject.remove(start);
    const anew = { ...under, key: 'third', url: `${url}/3`, from: start };
    expect(await mirrors.openThread(other, 'planes', anew)).not.toEqual(begun);
    const options = { mayExist: false, signal: never() };
    const [posted] = await Array.fromAsync(
      mirrors.create(begun, [mirrorOf(source, 'uno')], options),
    );
    expect(posted?.ids).toHaveLength(1);
    const refused = mirrors.openThread(other, 'planes', { ...alone, key: 'fourth', assertHeld });
    await expect(refused).rejects.toMatchObject({ code: 'cancelled' });
  },
} satisfies Contract<FeedSubject>;
