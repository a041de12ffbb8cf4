import type { AppError } from '../../src/errors.ts';
import { expect } from 'vitest';
import { plainWords, sentence } from '../../src/rich-text/compose.ts';
import type { Message } from '../../src/model/message.ts';
import type { Channel, MessageRef } from '../../src/model/place.ts';
import { mention, text } from '../../src/rich-text/rich-text.ts';
import { plainText } from '../../src/rich-text/walk.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import type { Contract } from './contract.ts';

/** A platform with two channels of one space, in which somebody called Ann writes. */
export interface FeedSubject {
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
  readonly channel: Channel;
  readonly other: Channel;
  readonly say: (to: Channel, text: string, replyTo?: MessageRef) => Promise<MessageRef>;
  readonly edit: (ref: MessageRef, text: string) => Promise<void>;
  readonly remove: (ref: MessageRef) => Promise<void>;
  /** Somebody reacts to a message. */
  readonly react: (ref: MessageRef, emoji: string) => Promise<void>;
  /** Somebody pins a message, or unpins it; omitted where the feed lists no pins. */
  readonly pin?: (ref: MessageRef, isPinned: boolean) => Promise<void>;
  /** The emoji that we reacted with to a message ourselves. */
  readonly reacted: (ref: MessageRef) => readonly string[];
  /** The id of somebody who is not in the space. */
  readonly stranger: string;
  /** The texts that people see in a channel, ours included, oldest first. */
  readonly texts: (of: Channel) => Promise<readonly string[]>;
}

export const never = (): AbortSignal => new AbortController().signal;

/** The rules of `ChannelFeed`. */
export const CHANNEL_FEED_CONTRACT = {
  'tells the history of a channel oldest first, and of no other': async (subject) => {
    const { feed, channel, other, say } = subject;
    await say(channel, 'one');
    await say(other, 'elsewhere');
    await say(channel, 'two');
    const all = await Array.fromAsync(feed.history(channel, feed.positionAt(0), never()));
    expect(all.map((one) => plainText(one.text))).toEqual(['one', 'two']);
    expect(all.map(({ author }) => author.kind)).toEqual(['person', 'person']);
  },

  'gives positions that go on where a message stands': async ({ feed, channel, say }) => {
    for (const said of ['one', 'two', 'three']) await say(channel, said);
    const [first, second] = await Array.fromAsync(
      feed.history(channel, feed.positionAt(0), never()),
    );
    expect(first!.position < second!.position).toBe(true);
    const after = await Array.fromAsync(feed.history(channel, first!.position, never()));
    expect(after.map((one) => plainText(one.text))).toEqual(['two', 'three']);
  },

  'reads the newest messages of a channel from a position on, oldest first, and of no other':
    async (subject) => {
      const { feed, channel, other, say } = subject;
      const written = ['one', 'two', 'three', 'four'];
      for (const said of written) await say(channel, said);
      await say(other, 'elsewhere');
      const read = async (from: string, most: number) => {
        const found = await feed.newest(channel, from, most, never());
        return found.map((one) => plainText(one.text));
      };
      expect(await read(feed.positionAt(0), 9)).toEqual(written);
      expect(await read(feed.positionAt(0), 2)).toEqual(['three', 'four']);
      const [, second] = await feed.newest(channel, feed.positionAt(0), 9, never());
      expect(await read(second!.position, 9)).toEqual(['two', 'three', 'four']);
      expect(await read(feed.positionAt(Date.now() + 7_200_000), 9)).toEqual([]);
    },

  'reads the first messages from a position on, oldest first, and of no other': async (subject) => {
    const { feed, channel, other, say } = subject;
    const written = ['one', 'two', 'three', 'four'];
    for (const said of written) await say(channel, said);
    await say(other, 'elsewhere');
    const read = async (from: string, most: number) => feed.earliest(channel, from, most, never());
    const textsOf = async (from: string, most: number) =>
      (await read(from, most)).map((one) => plainText(one.text));
    expect(await textsOf(feed.positionAt(0), 9)).toEqual(written);
    expect(await textsOf(feed.positionAt(0), 2)).toEqual(['one', 'two']);
    const [, second] = await read(feed.positionAt(0), 9);
    expect(await textsOf(second!.position, 2)).toEqual(['two', 'three']);
    expect(await textsOf(feed.positionAt(Date.now() + 7_200_000), 9)).toEqual([]);
  },

  'reads many messages in their order, from either end': async (subject) => {
    const { feed, channel, say } = subject;
    const written = Array.from({ length: 450 }, (_, at) => `line ${at}`);
    for (const said of written) await say(channel, said);
    const textsOf = (all: readonly Message[]) => all.map((one) => plainText(one.text));
    const start = feed.positionAt(Date.now() - 7_200_000);
    const all = await Array.fromAsync(feed.history(channel, start, never()));
    expect(textsOf(all)).toEqual(written);
    const from = all[100]!.position;
    expect(textsOf(await feed.newest(channel, from, 301, never()))).toEqual(written.slice(-301));
    expect(textsOf(await feed.earliest(channel, from, 301, never()))).toEqual(
      written.slice(100, 401),
    );
    expect(textsOf(await feed.earliest(channel, from, 9_999, never()))).toEqual(written.slice(100));
  },

  'lists what is pinned in a channel, and in no other': async (subject) => {
    const { feed, channel, other, say, pin } = subject;
    expect(feed.pinned === undefined).toBe(pin === undefined);
    if (!pin) return;
    const refs: MessageRef[] = [];
    for (let at = 0; at < 60; at += 1) refs.push(await say(channel, `${at}`));
    for (const ref of refs) await pin(ref, true);
    await pin(refs[0]!, false);
    await pin(await say(other, 'elsewhere'), true);
    const found = await feed.pinned?.(channel);
    expect(found?.map(({ id }) => id).toSorted()).toEqual(
      refs
        .slice(1)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(found?.every(({ channel: { id } }) => id === channel.id)).toBe(true);
  },

  'knows when a position is, and the first position of a time': async ({ feed, channel, say }) => {
    const before = Date.now();
    await say(channel, 'now');
    const [message] = await Array.fromAsync(feed.history(channel, feed.positionAt(0), never()));
    const writtenMs = feed.timeOf(message!.position);
    // The platform's clock is its own.
    expect(Math.abs(writtenMs - before)).toBeLessThan(3_600_000);
    expect(feed.positionAt(writtenMs) <= message!.position).toBe(true);
    expect(feed.positionAt(writtenMs + 1) > message!.position).toBe(true);
  },

  'reads a message as it is now, and none that is deleted': async (subject) => {
    const { feed, channel, say, edit, remove } = subject;
    const ref = await say(channel, 'before');
    expect(await feed.read(ref)).toMatchObject({
      ref,
      text: plainWords('before'),
      author: { name: 'Ann' },
    });
    await edit(ref, 'after');
    expect(await feed.read(ref)).toMatchObject({ text: plainWords('after'), edited: true });
    await remove(ref);
    expect(await feed.read(ref)).toBeUndefined();
  },

  'tells what a message answers to': async ({ feed, channel, say }) => {
    const question = await say(channel, 'why?');
    const answer = await say(channel, 'because', question);
    expect((await feed.read(answer))?.replyTo).toEqual(question);
    expect((await feed.read(question))?.replyTo).toBeUndefined();
  },

  'lists the people who react with an emoji, each once': async (subject) => {
    const { feed, channel, say, react, remove } = subject;
    const ref = await say(channel, 'look');
    expect(await feed.reactors(ref, '🇯🇵')).toEqual([]);
    await react(ref, '🇯🇵');
    await react(ref, '🇪🇸');
    await react(ref, '🇯🇵');
    expect(new Set(await feed.reactors(ref, '🇯🇵')).size).toBe(2);
    await remove(ref);
    expect(await feed.reactors(ref, '🇯🇵')).toEqual([]);
  },

  'lists nobody for our own reactions': async ({ feed, mirrors, channel, say, react }) => {
    const ref = await say(channel, 'look');
    await mirrors.react?.(ref, '❤️', true);
    expect(await feed.reactors(ref, '❤️')).toEqual([]);
    await react(ref, '❤️');
    expect(await feed.reactors(ref, '❤️')).toHaveLength(1);
  },

  'names a person of a space by their id, and nobody else': async (subject) => {
    const { feed, channel, say, stranger } = subject;
    const { author } = (await feed.read(await say(channel, 'hello')))!;
    const nameOf = async (id: string) => feed.personName?.(channel.space, id);
    expect(await nameOf(author.id)).toBe('Ann');
    for (const id of [stranger, 'Ann', '', `../${author.id}`, `${author.id}/../@me`])
      expect(await nameOf(id), id).toBeUndefined();
    const found = async (name: string) => feed.peopleNamed?.(channel.space, name);
    const isFinding = feed.peopleNamed !== undefined;
    expect(await found('an')).toEqual(isFinding ? [{ id: author.id, name: 'Ann' }] : undefined);
    expect(await found('Nobody/../@me')).toEqual(isFinding ? [] : undefined);
  },

  'names nobody whom it does not know, and changes no other text': async ({ feed, channel }) => {
    const { platform } = channel.space;
    const said = sentence('ask ', mention(platform, 'member', '100000000000000099'), ' about it');
    expect(await feed.named(channel, said)).toEqual(said);
  },

  'lacks something in a channel that is in another space': async ({ feed, channel }) => {
    expect(await feed.missing(channel, 'reply')).toEqual([]);
    const stranger = { ...channel, space: { ...channel.space, id: '100000000000000098' } };
    const lacking = feed.missing(stranger, 'reply').catch((error: AppError) => [error.code]);
    expect(await lacking).not.toEqual([]);
  },

  'knows its own messages': async ({ feed, mirrors, channel, other, say }) => {
    const source = await say(channel, 'hello');
    const content = { text: plainWords('hola') };
    const mirror = { source, key: 'watch', content, label: [text('🌐 English')] };
    const options = { mayExist: false, signal: never() };
    const posting = mirrors.create(
      { channel: other },
      [{ ...mirror, as: { name: 'Ann' } }],
      options,
    );
    const [posted] = await Array.fromAsync(posting);
    const read = await feed.read({ channel: other, id: posted!.ids[0] }, source);
    expect(read?.author.kind).toBe('ourselves');
    expect(plainText(read?.text ?? [])).toContain('hola');
  },
} satisfies Contract<FeedSubject>;
