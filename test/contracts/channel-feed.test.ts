import { expect, onTestFinished } from 'vitest';
import type { MessageRef } from '../../src/model/place.ts';
import { map } from '../../src/rich-text/walk.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import { openDiscord, placeOf } from '../adapters/discord/support.ts';
import { openSlack, placeOf as placeOnSlack } from '../adapters/slack/support.ts';
import { eventually } from '../fakes/eventually.ts';
import { emojiNameOf } from '../../adapters/slack/rich-text/atoms.ts';
import { channel, createFakeFeed, person } from '../fakes/channel-feed.ts';
import { CHANNEL_FEED_CONTRACT, type FeedSubject } from './channel-feed.ts';
import { testBroken, testContract } from './contract.ts';
import { MIRRORS_CONTRACT } from './mirrors.ts';

const openFake = (
  breakFeed: (feed: ChannelFeed) => Partial<ChannelFeed> = () => ({}),
  breakMirrors: (mirrors: Mirrors) => Partial<Mirrors> = () => ({}),
): FeedSubject => {
  const fake = createFakeFeed();
  const reacted = new Map<string, number>();
  return {
    feed: { ...fake.feed, ...breakFeed(fake.feed) },
    mirrors: { ...fake.mirrors, ...breakMirrors(fake.mirrors) },
    channel: channel('here'),
    other: channel('there'),
    say: async (to, text, replyTo) => {
      const author = { ...person('ann'), name: 'Ann' };
      return fake.say(to, text, { author, ...(replyTo ? { replyTo } : {}) }).ref;
    },
    edit: async (ref, text) => void fake.edit(ref, text),
    remove: async (ref) => fake.remove(ref),
    pin: async (ref, isPinned) => fake.pin(ref, isPinned),
    react: async (ref, emoji) => {
      const count = (reacted.get(emoji) ?? 0) + 1;
      reacted.set(emoji, count);
      fake.react(ref, emoji, count);
    },
    reacted: (ref) => fake.reacted(ref),
    stranger: 'nobody',
    texts: async (of) => fake.texts(of),
  };
};

const openOnDiscord = async (): Promise<FeedSubject> => {
  const discord = await openDiscord({ limits: 'off' });
  onTestFinished(() => discord[Symbol.asyncDispose]());
  const guild = discord.fake.guild();
  const channels = ['here', 'there'].map((name) => guild.channel({ name }));
  const ann = discord.fake.user({ name: 'Ann' });
  guild.join(ann);
  const channelOf = ({ id }: { readonly id: string }) => channels.find((one) => one.id === id)!;
  const messageOf = (ref: MessageRef) =>
    channelOf(ref.channel).messages.find(({ id }) => id === ref.id)!;
  const [here, there] = channels.map((one) => placeOf(guild, one));
  // The bot is told of them a moment later.
  await eventually(async () => {
    for (const one of [here!, there!]) expect(await discord.feed.missing(one, 'reply')).toEqual([]);
  });
  return {
    feed: discord.feed,
    mirrors: discord.mirrors,
    channel: here!,
    other: there!,
    say: async (to, text, replyTo) => {
      const said = channelOf(to).say(ann, text, replyTo ? { replyTo: messageOf(replyTo) } : {});
      return { channel: to, id: said.id };
    },
    edit: async (ref, text) => messageOf(ref).edit(text),
    remove: async (ref) => messageOf(ref).delete(),
    pin: async (ref, isPinned) => messageOf(ref).pin(isPinned),
    react: async (ref, emoji) => messageOf(ref).react(discord.fake.user(), emoji),
    reacted: (ref) =>
      messageOf(ref)
        .reactions.filter(({ users }) => users.includes(discord.fake.botUser.id))
        .map(({ emoji }) => emoji),
    stranger: discord.fake.user({ name: 'Eve' }).id,
    texts: async (of) => channelOf(of).messages.map(({ content }) => content),
  };
};

const openOnSlack = async (): Promise<FeedSubject> => {
  const slack = await openSlack();
  onTestFinished(() => slack[Symbol.asyncDispose]());
  const { workspace } = slack;
  const { feed, mirrors } = slack.platform as Required<Platform>;
  const ann = workspace.user({ name: 'ann', displayName: 'Ann' });
  const channels = ['here', 'there'].map((name) => workspace.channel({ name, members: [ann] }));
  const [here, there] = channels.map((one) => placeOnSlack(workspace, one));
  const channelOf = ({ id }: { readonly id: string }) => channels.find((one) => one.id === id)!;
  const messageOf = (ref: MessageRef) =>
    channelOf(ref.channel).messages.find(({ ts }) => ts === ref.id)!;
  return {
    feed,
    mirrors,
    channel: here!,
    other: there!,
    say: async (to, text, replyTo) => {
      const thread = replyTo && messageOf(replyTo);
      const { ts } = channelOf(to).say(ann, text, thread ? { thread } : {});
      return { channel: to, id: ts };
    },
    edit: async (ref, text) => messageOf(ref).edit(text),
    remove: async (ref) => messageOf(ref).delete(),
    react: async (ref, emoji) => {
      const name = emojiNameOf(emoji) ?? emoji;
      messageOf(ref).react(workspace.user({ name: `user-${crypto.randomUUID()}` }), name);
    },
    reacted: (ref) =>
      messageOf(ref)
        .reactions.filter(({ isOurs }) => isOurs)
        .map(({ emoji }) => emoji),
    stranger: 'U0NOBODY99',
    texts: async (of) => channelOf(of).messages.map(({ words }) => words),
  };
};

testContract('the feed of the fake', CHANNEL_FEED_CONTRACT, () => openFake());
testContract('the feed of Discord', CHANNEL_FEED_CONTRACT, openOnDiscord);
testContract('the feed of Slack', CHANNEL_FEED_CONTRACT, openOnSlack);
testContract('mirrors on the fake', MIRRORS_CONTRACT, () => openFake());
testContract('mirrors on Discord', MIRRORS_CONTRACT, openOnDiscord);
testContract('mirrors on Slack', MIRRORS_CONTRACT, openOnSlack);

testBroken(CHANNEL_FEED_CONTRACT, {
  'tells its history backwards': {
    port: openFake((feed) => ({
      async *history(...given) {
        yield* (await Array.fromAsync(feed.history(...given))).toReversed();
      },
    })),
    fails: 'tells the history of a channel oldest first, and of no other',
  },
  'begins its history with what is known': {
    port: openFake((feed) => ({
      history: (of, _, signal) => feed.history(of, '', signal),
    })),
    fails: 'gives positions that go on where a message stands',
  },
  'leaves the newest out': {
    port: openFake((feed) => ({
      newest: async (of, from, most, signal) =>
        (await feed.newest(of, from, Infinity, signal)).slice(0, most),
    })),
    fails:
      'reads the newest messages of a channel from a position on, oldest first, and of no other',
  },
  'leaves the first out': {
    port: openFake((feed) => ({ earliest: async (...given) => feed.newest(...given) })),
    fails: 'reads the first messages from a position on, oldest first, and of no other',
  },
  'leaves out what stands far back': {
    port: openFake((feed) => ({
      earliest: async (of, from, most, signal) =>
        (await feed.newest(of, from, 300, signal)).slice(0, most),
    })),
    fails: 'reads many messages in their order, from either end',
  },
  'names whomever it is asked for': {
    port: openFake(() => ({ personName: async () => 'Ann' })),
    fails: 'names a person of a space by their id, and nobody else',
  },
  'names nobody': {
    port: openFake(() => ({ personName: async () => undefined })),
    fails: 'names a person of a space by their id, and nobody else',
  },
  'leaves a pin out': {
    port: openFake((feed) => ({
      pinned: async (of) => (await feed.pinned!(of)).slice(1),
    })),
    fails: 'lists what is pinned in a channel, and in no other',
  },
  'takes every position for the first': {
    port: openFake(() => ({ timeOf: () => 0 })),
    fails: 'knows when a position is, and the first position of a time',
  },
  'reads nothing': {
    port: openFake(() => ({ read: async () => undefined })),
    fails: 'reads a message as it is now, and none that is deleted',
  },
  'forgets what is answered to': {
    port: openFake((feed) => ({
      read: async (ref) => {
        const { replyTo: _, ...message } = (await feed.read(ref))!;
        return message;
      },
    })),
    fails: 'tells what a message answers to',
  },
  'counts every emoji': {
    port: openFake(() => ({ reactors: async () => ['ann'] })),
    fails: 'lists the people who react with an emoji, each once',
  },
  'takes its own reactions for a person’s': {
    port: openFake((feed) => ({
      reactors: async (ref, emoji) => [...(await feed.reactors(ref, emoji)), 'dragoman'],
    })),
    fails: 'lists nobody for our own reactions',
  },
  'makes names up': {
    port: openFake(() => ({
      named: async (_, text) =>
        map(text, (node) => (node.kind === 'mention' ? { ...node, name: 'somebody' } : node)),
    })),
    fails: 'names nobody whom it does not know, and changes no other text',
  },
  'lacks nothing anywhere': {
    port: openFake(() => ({ missing: async () => [] })),
    fails: 'lacks something in a channel that is in another space',
  },
  'takes its own messages for a person’s': {
    port: openFake((feed) => ({
      read: async (ref) => ({ ...(await feed.read(ref))!, author: person('ann') }),
    })),
    fails: 'knows its own messages',
  },
});

const doubling = () =>
  openFake(undefined, (mirrors) => ({
    create: (to, wanted, options) => mirrors.create(to, wanted, { ...options, mayExist: false }),
  }));
const keyless = () =>
  openFake(undefined, (mirrors) => ({
    create: (to, wanted, options) =>
      mirrors.create(
        to,
        wanted.map((mirror) => ({ ...mirror, key: '' })),
        options,
      ),
    removeOrphans: (from, source) => mirrors.removeOrphans(from, source),
  }));
const idle = () =>
  openFake(undefined, () => ({
    create: async function* nothing() {},
    update: async (posted) => posted,
    remove: async () => undefined,
    removeOrphans: async () => undefined,
  }));
let threads = 0;
const threading = () =>
  openFake(undefined, () => ({
    thread: async () => ({ channel: channel(`thread ${(threads += 1)}`) }),
  }));

const CHANGES_NOTHING =
  'changes and deletes nothing once its caller must not act any more, and leaves all to the next one';

testBroken(MIRRORS_CONTRACT, {
  'keeps its reactions': {
    port: openFake(undefined, (mirrors) => ({
      react: async (ref, emoji) => mirrors.react?.(ref, emoji, true),
    })),
    fails:
      'puts its own reaction under a message and takes it away, at the second time as at the first',
  },
  'reacts to what is gone': {
    port: openFake(undefined, () => ({ react: async () => undefined })),
    fails: 'tells when the message of a reaction is gone',
  },
  'asks nobody whether it may still post': {
    port: openFake(undefined, (mirrors) => ({
      create: (to, wanted, options) =>
        mirrors.create(to, wanted, { ...options, assertHeld: undefined }),
    })),
    fails: 'posts nothing once its caller must not act any more, though nothing else tells so',
  },
  'asks nobody whether it may still change a mirror': {
    port: openFake(undefined, (mirrors) => ({
      update: (posted, mirror) => mirrors.update(posted, mirror),
    })),
    fails: CHANGES_NOTHING,
  },
  'asks nobody whether it may still delete a mirror': {
    port: openFake(undefined, (mirrors) => ({
      remove: (posted, source) => mirrors.remove(posted, source),
    })),
    fails: CHANGES_NOTHING,
  },
  'takes no quote out': {
    port: openFake(undefined, () => ({ unquote: async () => undefined })),
    fails: 'takes a quote out of its mirror alone, at the second time as at the first',
  },
  'asks nobody whether it may still delete orphans': {
    port: openFake(undefined, (mirrors) => ({
      removeOrphans: (from, source) => mirrors.removeOrphans(from, source),
    })),
    fails: CHANGES_NOTHING,
  },
  'asks nobody whether it may still change what it finds': {
    port: openFake(undefined, (mirrors) => ({
      create: (to, wanted, options) =>
        mirrors.create(
          to,
          wanted,
          options.mayExist ? { ...options, assertHeld: undefined } : options,
        ),
    })),
    fails: CHANGES_NOTHING,
  },
  'asks nobody whether it may still begin a thread': {
    port: openFake(undefined, (mirrors) => ({ thread: (of, name) => mirrors.thread(of, name) })),
    fails: 'begins no thread once its caller must not act any more',
  },
  'posts nothing': {
    port: idle(),
    fails: 'posts mirrors in their order, and says where each stands',
  },
  'looks for nothing': {
    port: doubling(),
    fails: 'finds a mirror by its key, whatever it shows now',
  },
  'looks for no reply': {
    port: doubling(),
    fails: 'finds a reply by its key, though it began with another label',
  },
  'knows no keys': {
    port: keyless(),
    fails: 'tells the replies to one message apart by their keys',
  },
  'takes for posted what may be': { port: idle(), fails: 'posts what may exist and does not' },
  'posts replies to nothing': {
    port: openFake(undefined, () => ({
      create: async function* posting(to) {
        yield { channel: to.channel, ids: ['reply'] };
      },
    })),
    fails: 'tells when the source of a reply was deleted, and posts nothing',
  },
  'changes nothing': {
    port: idle(),
    fails: 'shows a mirror anew in its place, and tells when it was deleted',
  },
  'removes nothing': {
    port: openFake(undefined, () => ({ remove: async () => undefined })),
    fails: 'removes one mirror, leaves the others, and does not mind removing it again',
  },
  'leaves orphans': {
    port: openFake(undefined, () => ({ removeOrphans: async () => undefined })),
    fails: 'removes the orphans of a source, and nothing else',
  },
  'removes the replies of every key': {
    port: keyless(),
    fails: 'removes the orphans of one key, and no reply of another',
  },
  'makes a thread each time': {
    port: threading(),
    fails: 'has one standing thread of a name, in which mirrors stand',
  },
});
