import { AppError, userError } from '../../src/errors.ts';
import type { Naming } from '../../src/model/command-info.ts';
import type { Author, Content, Message } from '../../src/model/message.ts';
import {
  channelMention,
  type Channel,
  type MessageRef,
  type Posted,
  type Space,
} from '../../src/model/place.ts';
import type { ChannelFeed } from '../../src/ports/channel-feed.ts';
import type { Mirrors } from '../../src/ports/mirrors.ts';
import type { Platform } from '../../src/ports/platform.ts';
import { plainWords } from '../../src/rich-text/compose.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { map, plainText } from '../../src/rich-text/walk.ts';
import { createFaults, type FeedFaults } from './channel-feed/faults.ts';
import { createMessages, OURSELVES, positionOf } from './channel-feed/messages.ts';
import { createMirrors } from './channel-feed/mirrors.ts';
import { createPins, type FeedPins } from './channel-feed/pins.ts';
import { createReactions, type FeedReactions } from './channel-feed/reactions.ts';
import { createThreads, type FeedThreads } from './channel-feed/threads.ts';
import { FAKE_CAPABILITIES } from './platform.ts';

export const SPACE: Space = { platform: 'place', id: 'space' };
export const channel = (id: string, parentId?: string, space = SPACE): Channel => ({
  space,
  id,
  ...(parentId === undefined ? {} : { parentId }),
});

export const person = (id: string): Author => ({ id, name: id, kind: 'person' });

const treeOf = (text: string | RichText): RichText =>
  typeof text === 'string' ? plainWords(text) : text;

/** A platform in memory whose channels can be watched. */
export interface FakeFeed extends FeedFaults, FeedThreads, FeedPins, FeedReactions {
  readonly platform: Platform;
  readonly feed: ChannelFeed;
  readonly mirrors: Mirrors;
  say(to: Channel, text: string | RichText, part?: Partial<Message>): Message;
  edit(ref: MessageRef, text: string | RichText): Message;
  remove(ref: MessageRef): void;
  /** What stands in a channel as people see it without any markup, oldest first. */
  texts(of: Channel): string[];
  messages(of: Channel): readonly Message[];
  /** Names of the files of our mirrors there. */
  files(of: Channel): string[];
  /** Shows a channel to adults alone, or to everybody again. */
  restrictByAge(channel: Channel, isRestricted: boolean): void;
  /** Gives a space a name, also to another one that the bot is in. */
  nameSpace(space: Space, name: string): void;
  /** Lists these names as those of people here; none: they are not known. */
  nameHere(...names: readonly string[]): void;
  /** What can be pressed in a channel. */
  asked(of: Channel): string[];
  /** What its people must still allow before a channel can be watched. */
  lack(...permissions: string[]): void;
  /** The bot is in this channel no longer, which is as unknown as a deleted one; in none: it is in all again. */
  lose(of?: Channel): void;
  /** People who have left the space. */
  readonly left: Set<string>;
  /** People who are banned from the space, as far as the bot may look that up. */
  readonly banned: Set<string>;
  /** People of whom the bot may not look that up. */
  readonly unknownBans: Set<string>;
  /** Whom our mirrors notified, each time with the words of the mirror. */
  readonly pings: string[];
  /** What was shown to one person alone, as `person: words`. */
  readonly whispered: string[];
}

export const lost = (): AppError =>
  new AppError('unavailable', 'the answer was lost', { retryable: true });

/**
 * @param space the one whose platform it is
 * @param naming the names that people type for commands there
 * @param threading what the threads are in which conversations are copied
 */
export const createFakeFeed = (
  space: Space = SPACE,
  naming: Naming = 'plain',
  threading: 'channels' | 'messages' = 'channels',
): FakeFeed => {
  const restricted = new Set<string>();
  const spaceNames = new Map<string, string>();
  const left = new Set<string>();
  const banned = new Set<string>();
  const unknownBans = new Set<string>();
  const pings: string[] = [];
  const whispered: string[] = [];
  let lacking: readonly string[] = [];
  let lostId: string | undefined;
  let namesHere: readonly string[] | undefined = [];

  const messages = createMessages();
  const { shownIn, find, put, replace } = messages;
  const faults = createFaults();
  const { meet, meanwhile } = faults;
  const threads = createThreads(threading, messages, faults);
  const pins = createPins(messages, faults);
  const reactions = createReactions(messages, faults);

  const since = async (of: Channel, from: string): Promise<readonly Message[]> => {
    await meanwhile('history');
    meet('history', false, of);
    return shownIn(of)
      .map(({ message }) => message)
      .filter(({ position }) => position >= from);
  };

  const feed: ChannelFeed = {
    resolve: (of) => of,
    positionAt: (timeMs) => positionOf(String(timeMs)),
    timeOf: (position) => Number(position),
    async *history(of, after) {
      await meanwhile('history');
      meet('history', false, of);
      for (const { message } of shownIn(of).slice()) if (message.position > after) yield message;
    },
    newest: async (of, from, most) => (await since(of, from)).slice(-most),
    earliest: async (of, from, most) => (await since(of, from)).slice(0, most),
    read: async (ref) => {
      await meanwhile('read');
      await faults.fake.sick.get(ref.channel.id)?.();
      meet('read', false);
      return find(ref)?.message;
    },
    named: async (of, text) =>
      map(text, (node) =>
        node.kind === 'mention' && node.platform === of.space.platform && /^\d{1,9}$/.test(node.id)
          ? { ...node, name: `${node.target}-${node.id}` }
          : node,
      ),
    spaceName: async ({ id }) => spaceNames.get(id),
    isReader: async (_, id) => {
      meet('isReader', false);
      return !left.has(id);
    },
    isBanned: async (_, id) => (unknownBans.has(id) ? undefined : banned.has(id)),
    personName: async (_, id) => (/^\d{1,9}$/.test(id) ? `member-${id}` : messages.nameOf(id)),
    namesLike: async () => namesHere,
    isPrivate: async ({ id }) => id.startsWith('private'),
    isAgeRestricted: async ({ id }) => restricted.has(id),
    ...pins.feed,
    ...threads.feed,
    ...reactions.feed,
    missing: async (of) => {
      if (of.id === lostId)
        throw userError('forbidden', 'watch.not-there', {
          channel: channelMention(of),
          command: '/invite',
        });
      const isKnown = of.space.id === space.id || spaceNames.has(of.space.id);
      return isKnown ? lacking : ['a place in this space'];
    },
  };

  const mirrors: Mirrors = {
    ...createMirrors(space, pings, messages, faults),
    ...pins.mirrors,
    ...reactions.mirrors,
    ...threads.mirrors,
  };

  const post = async (to: Channel, { text, controls = [] }: Content): Promise<Posted> => {
    meet('post', false, to);
    const { ref } = put(to, { author: OURSELVES, text });
    Object.assign(find(ref) ?? {}, { controls });
    return { channel: to, ids: [ref.id] };
  };

  return {
    ...faults.fake,
    ...threads.fake,
    ...pins.fake,
    ...reactions.fake,
    feed,
    mirrors,
    platform: {
      name: space.platform,
      naming,
      feed,
      mirrors,
      capabilities: FAKE_CAPABILITIES,
      post: async (to, content) => post(to, content),
      whisper: async (_, personId, { text }) =>
        void whispered.push(`${personId}: ${plainText(text)}`),
      edit: async (posted, { text, controls = [] }) => {
        meet('edit', false, posted.channel);
        const { ref } = replace({ channel: posted.channel, id: posted.ids[0] }, text);
        Object.assign(find(ref) ?? {}, { controls });
        return posted;
      },
      delete: async () => undefined,
    },
    say: (to, text, part = {}) => put(to, { author: person('ada'), ...part, text: treeOf(text) }),
    edit: (ref, text) => replace(ref, treeOf(text)),
    remove: messages.remove,
    texts: (of) => shownIn(of).map(({ message }) => plainText(message.text)),
    messages: (of) => shownIn(of).map(({ message }) => message),
    files: (of) =>
      shownIn(of).flatMap(({ mirror }) => (mirror?.content.files ?? []).map(({ name }) => name)),
    restrictByAge: ({ id }, isRestricted) =>
      void (isRestricted ? restricted.add(id) : restricted.delete(id)),
    nameSpace: ({ id }, name) => void spaceNames.set(id, name),
    asked: (of) => shownIn(of).flatMap(({ controls = [] }) => controls.map(({ press }) => press)),
    nameHere: (...names) => {
      namesHere = names.length > 0 ? names : undefined;
    },
    lose: (of) => {
      lostId = of?.id;
    },
    lack: (...permissions) => {
      lacking = permissions;
    },
    left,
    banned,
    unknownBans,
    pings,
    whispered,
  };
};
