import { AppError } from '../../src/errors.ts';
import { labelled, plainWords, sentence } from '../../src/rich-text/compose.ts';
import type { Author, Content, Control, Message } from '../../src/model/message.ts';
import { FAKE_CAPABILITIES } from './platform.ts';
import {
  isSameChannel,
  type Channel,
  type MessageRef,
  type Posted,
  type Space,
} from '../../src/model/place.ts';
import type { RichText } from '../../src/rich-text/rich-text.ts';
import { map, plainText } from '../../src/rich-text/walk.ts';
import type { Naming } from '../../src/model/command-info.ts';
import type { Platform } from '../../src/ports/platform.ts';
import type { ChannelFeed, ThreadInfo } from '../../src/ports/channel-feed.ts';
import type { WhileHeld } from '../../src/ports/processes.ts';
import type { Mirror, Mirrors } from '../../src/ports/mirrors.ts';

export const SPACE: Space = { platform: 'place', id: 'space' };
export const channel = (id: string, parentId?: string, space = SPACE): Channel => ({
  space,
  id,
  ...(parentId === undefined ? {} : { parentId }),
});

export const person = (id: string): Author => ({ id, name: id, kind: 'person' });
const OURSELVES: Author = { id: 'dragoman', name: 'Dragoman', kind: 'ourselves' };

/** A message, and of ours what it mirrors. */
interface Shown {
  readonly message: Message;
  readonly mirror?: Mirror;
  readonly controls?: readonly Control[];
}

/** What one call meets in place of doing its work, or after it: then the answer alone is lost. */
export interface FeedFault {
  readonly call:
    | 'openThread'
    | 'pin'
    | 'pinned'
    | 'react'
    | 'reactors'
    | 'changeThread'
    | 'create'
    | 'update'
    | 'remove'
    | 'history'
    | 'read'
    | 'post'
    | 'isReader';
  readonly error: AppError;
  readonly after?: boolean;
  /** The only channel whose history or new mirror it concerns. Default: the next one. */
  readonly channel?: Channel;
}

/** An emoji is the same with a variation selector and without. */
const reactionKey = ({ id }: MessageRef, emoji: string): string =>
  `${id} ${emoji.replaceAll('\uFE0F', '')}`;

const treeOf = (text: string | RichText): RichText =>
  typeof text === 'string' ? plainWords(text) : text;

/** A platform in memory whose channels can be watched. */
export interface FakeFeed {
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
  fail(...faults: FeedFault[]): void;
  /** What every read and write of a message in a channel, by its id, meets first: it rejects, or lasts. */
  readonly sick: Map<string, (mirror?: Mirror) => Promise<unknown>>;
  /** Does something in the middle of the next call of a kind. */
  during(call: FeedFault['call'], run: () => Promise<unknown>): void;
  /** So many people, or these, have reacted to a message with an emoji. */
  react(ref: MessageRef, emoji: string, people: number | readonly string[]): void;
  /** What we reacted with to a message ourselves. */
  reacted(ref: MessageRef): string[];
  /** Shows a channel to adults alone, or to everybody again. */
  restrictByAge(channel: Channel, isRestricted: boolean): void;
  /** What is pinned in a channel. */
  pinned(of: Channel): string[];
  /** Somebody pins a message, or unpins it. */
  pin(ref: MessageRef, isPinned?: boolean): void;
  /** Ids of the channels in which messages stand in threads alone. */
  readonly forums: Set<string>;
  /** Channels in which we may begin no threads. */
  readonly threadless: Set<string>;
  /** Somebody begins a thread, on its own or under a message. */
  startThread(
    of: Channel,
    name: string,
    part?: Partial<ThreadInfo> & { readonly under?: MessageRef },
  ): Channel;
  /** What was changed of threads, as `id change`. */
  readonly threadChanges: string[];
  /** The threads by their ids. */
  readonly threads: ReadonlyMap<string, ThreadInfo>;
  /** Gives a space a name, also to another one that the bot is in. */
  nameSpace(space: Space, name: string): void;
  /** What can be pressed in a channel. */
  asked(of: Channel): string[];
  /** What its people must still allow before a channel can be watched. */
  lack(...permissions: string[]): void;
  /** People who have left the space. */
  readonly left: Set<string>;
  /** People who are banned from the space, as far as the bot may look that up. */
  readonly banned: Set<string>;
  /** People of whom the bot may not look that up. */
  readonly unknownBans: Set<string>;
  /** Whom our mirrors notified, each time with the words of the mirror. */
  readonly pings: string[];
  readonly calls: string[];
  /** What was shown to one person alone, as `person: words`. */
  readonly whispered: string[];
  /** The effects for which nobody said whether they may still be. */
  readonly unguarded: string[];
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
  const channels = new Map<string, Shown[]>();
  const restricted = new Set<string>();
  const forums = new Set<string>();
  const threadless = new Set<string>();
  const pinned = new Set<string>();
  const threads = new Map<string, ThreadInfo>();
  /** The first messages of threads that were begun for conversations. */
  const begun = new Map<string, string>();
  const threadChanges: string[] = [];
  const spaceNames = new Map<string, string>();
  const left = new Set<string>();
  const banned = new Set<string>();
  const unknownBans = new Set<string>();
  const pings: string[] = [];
  const reactions = new Map<string, readonly string[]>();
  /** Our own reactions: what we reacted with, by the message's id. */
  const reacted = new Map<string, Set<string>>();
  const faults: FeedFault[] = [];
  const calls: string[] = [];
  const whispered: string[] = [];
  const unguarded: string[] = [];
  const events: { call: FeedFault['call']; run: () => Promise<unknown> }[] = [];
  const sick: FakeFeed['sick'] = new Map();
  let lacking: readonly string[] = [];
  let last = 0;

  const shownIn = ({ id }: Channel): Shown[] => {
    const shown = channels.get(id) ?? [];
    channels.set(id, shown);
    return shown;
  };
  const positionOf = (id: string): string => id.padStart(20, '0');
  const put = (to: Channel, part: Partial<Message>, mirror?: Mirror): Message => {
    last = Math.max(last + 1, Date.now());
    const id = String(last);
    const message: Message = {
      ref: { channel: to, id },
      position: positionOf(id),
      author: person('ada'),
      text: [],
      files: [],
      stickers: [],
      ...part,
    };
    shownIn(to).push({ message, ...(mirror ? { mirror } : {}) });
    return message;
  };
  const find = ({ channel: { id: place }, id }: MessageRef): Shown | undefined =>
    channels.get(place)?.find(({ message }) => message.ref.id === id);
  const isHere = ({ channel: of }: MessageRef): boolean =>
    of.space.platform === space.platform && of.space.id === space.id;
  const replace = (ref: MessageRef, text: RichText, mirror?: Mirror): Message => {
    const shown = find(ref);
    if (!shown) throw new AppError('not-found', 'there is no such message');
    const message = { ...shown.message, text, edited: true };
    const all = shownIn(ref.channel);
    all[all.indexOf(shown)] = { message, ...(mirror ? { mirror } : {}) };
    return message;
  };
  const remove = (ref: MessageRef): void => {
    const all = shownIn(ref.channel);
    channels.set(
      ref.channel.id,
      all.filter(({ message }) => message.ref.id !== ref.id),
    );
  };
  const meet = (call: FeedFault['call'], after: boolean, of?: Channel): void => {
    if (!after) calls.push(call);
    const isMet = ({ channel: only }: FeedFault): boolean => !only || only.id === of?.id;
    const at = faults.findIndex(
      (one) => one.call === call && (one.after ?? false) === after && isMet(one),
    );
    const [fault] = at < 0 ? [] : faults.splice(at, 1);
    if (fault) throw fault.error;
  };
  const ask = (effect: keyof Mirrors, assertHeld: WhileHeld['assertHeld']): void => {
    if (!assertHeld) unguarded.push(effect);
    assertHeld?.();
  };
  const meanwhile = async (call: FeedFault['call']): Promise<void> => {
    const at = events.findIndex((event) => event.call === call);
    const [event] = at < 0 ? [] : events.splice(at, 1);
    await event?.run();
  };
  const setPinned = ({ channel: { id: of }, id }: MessageRef, isPinned = true): void =>
    void pinned[isPinned ? 'add' : 'delete'](`${of} ${id}`);
  const render = ({ as, label, content: { text }, quote }: Mirror): RichText => {
    const quoted = quote ? `> ${quote.name}: ${quote.text}\n` : '';
    return as
      ? sentence(`${quoted}${as.name}: `, text, ' [', ...label, ']')
      : labelled(label, text);
  };
  const shows = ({ mirror }: Shown, source: MessageRef, key?: string): boolean =>
    mirror !== undefined &&
    mirror.source.id === source.id &&
    isSameChannel(mirror.source.channel, source.channel) &&
    (key === undefined || mirror.key === key);

  const feed: ChannelFeed = {
    resolve: (of) => of,
    positionAt: (timeMs) => positionOf(String(timeMs)),
    timeOf: (position) => Number(position),
    async *history(of, after) {
      await meanwhile('history');
      meet('history', false, of);
      for (const { message } of shownIn(of).slice()) if (message.position > after) yield message;
    },
    newest: async (of, from, most) => {
      await meanwhile('history');
      meet('history', false, of);
      return shownIn(of)
        .map(({ message }) => message)
        .filter(({ position }) => position >= from)
        .slice(-most);
    },
    read: async (ref) => {
      await meanwhile('read');
      await sick.get(ref.channel.id)?.();
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
    personName: async (_, id) => (/^\d{1,9}$/.test(id) ? `member-${id}` : undefined),
    isPrivate: async ({ id }) => id.startsWith('private'),
    isAgeRestricted: async ({ id }) => restricted.has(id),
    pinned: async (of) => {
      meet('pinned', false, of);
      return shownIn(of)
        .map(({ message: { ref } }) => ref)
        .filter(({ id }) => pinned.has(`${of.id} ${id}`));
    },
    holdsPosts: async ({ id }) => forums.has(id),
    mayBeginThreads: async ({ id }) => !threadless.has(id),
    describeThread: async ({ id }) => threads.get(id),
    reactors: async (ref, emoji) => {
      meet('reactors', false, ref.channel);
      return find(ref) ? [...(reactions.get(reactionKey(ref, emoji)) ?? [])] : [];
    },
    missing: async ({ space: { id } }) =>
      id === space.id || spaceNames.has(id) ? lacking : ['a place in this space'],
  };

  const mirrors: Mirrors = {
    filesBytes: 1_000,
    async *create({ channel: to, threadId }, wanted, { mayExist, assertHeld }) {
      for (const mirror of wanted) {
        await meanwhile('create');
        await sick.get(to.id)?.(mirror);
        // A reply stands where its source does, as in the threads of Slack.
        if (!mirror.as && isHere(mirror.source) && !find(mirror.source))
          throw new AppError('not-found', 'the source was deleted');
        const there = mayExist
          ? shownIn(to).find((shown) => shows(shown, mirror.source, mirror.key))
          : undefined;
        ask('create', assertHeld);
        if (!there) meet('create', false, to);
        const { ref } = there
          ? replace(there.message.ref, render(mirror), mirror)
          : put(
              to,
              {
                author: OURSELVES,
                text: render(mirror),
                ...(threadId === undefined ? {} : { threadId }),
              },
              mirror,
            );
        if (!there && mirror.quote?.mentions)
          pings.push(`${mirror.quote.mentions}: ${plainText(mirror.content.text)}`);
        meet('create', true, to);
        yield { channel: to, ids: [ref.id] };
      }
    },
    update: async (posted, mirror, { assertHeld } = {}) => {
      await meanwhile('update');
      await sick.get(posted.channel.id)?.();
      ask('update', assertHeld);
      meet('update', false);
      replace({ channel: posted.channel, id: posted.ids[0] }, render(mirror), mirror);
      meet('update', true);
      return posted;
    },
    remove: async (posted, _, { assertHeld } = {}) => {
      await meanwhile('remove');
      await sick.get(posted.channel.id)?.();
      ask('remove', assertHeld);
      meet('remove', false);
      remove({ channel: posted.channel, id: posted.ids[0] });
    },
    removeOrphans: async ({ channel: from }, source, { key, others = [], assertHeld } = {}) => {
      await sick.get(from.id)?.();
      const known = others.flatMap(({ ids }) => ids);
      for (const shown of shownIn(from))
        if (shows(shown, source, key) && !known.includes(shown.message.ref.id)) {
          ask('removeOrphans', assertHeld);
          remove(shown.message.ref);
        }
    },
    pin: async ({ channel: of, id }, isPinned) => {
      await meanwhile('pin');
      meet('pin', false, of);
      setPinned({ channel: of, id }, isPinned);
    },
    react: async ({ channel: of, id }, emoji, isPresent) => {
      await meanwhile('react');
      meet('react', false, of);
      if (!find({ channel: of, id })) throw new AppError('not-found', 'there is no such message');
      const ours = reacted.get(id) ?? new Set();
      reacted.set(id, ours);
      if (isPresent) ours.add(emoji);
      else ours.delete(emoji);
    },
    changeThread: async ({ id }, change) => {
      await meanwhile('changeThread');
      meet('changeThread', false, channel(id));
      threadChanges.push(`${id.split('/')[0]} ${JSON.stringify(change)}`);
      const info = threads.get(id);
      if (info) threads.set(id, { ...info, name: change.name ?? info.name });
    },
    openThread: async (of, name, { key, from, opening, mayExist, assertHeld }) => {
      ask('openThread', assertHeld);
      meet('openThread', false, of);
      const known = mayExist ? begun.get(`${of.id} ${key}`) : undefined;
      const start = from && find(from) ? from.id : undefined;
      const first = start ?? known ?? put(of, { author: OURSELVES, text: opening }).ref.id;
      begun.set(`${of.id} ${key}`, first);
      if (threading === 'messages') {
        meet('openThread', true, of);
        return { channel: of, threadId: first };
      }
      const thread = channel(`${of.id}/${first}`, of.id, of.space);
      threads.set(thread.id, {
        ownerId: 'dragoman',
        isPrivate: false,
        ...threads.get(thread.id),
        name,
      });
      meet('openThread', true, of);
      return { channel: thread };
    },
    thread: async (of, name, { known, assertHeld } = {}) => {
      if (known) return known;
      ask('thread', assertHeld);
      return { channel: channel(`${of.id}/${name}`, of.id, of.space) };
    },
  };

  const post = async (to: Channel, { text, controls = [] }: Content): Promise<Posted> => {
    meet('post', false, to);
    const { ref } = put(to, { author: OURSELVES, text });
    Object.assign(find(ref) ?? {}, { controls });
    return { channel: to, ids: [ref.id] };
  };

  return {
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
      edit: async (posted, { text }) => {
        replace({ channel: posted.channel, id: posted.ids[0] }, text);
        return posted;
      },
      delete: async () => undefined,
    },
    say: (to, text, part = {}) => put(to, { ...part, text: treeOf(text) }),
    edit: (ref, text) => replace(ref, treeOf(text)),
    remove,
    texts: (of) => shownIn(of).map(({ message }) => plainText(message.text)),
    messages: (of) => shownIn(of).map(({ message }) => message),
    files: (of) =>
      shownIn(of).flatMap(({ mirror }) => (mirror?.content.files ?? []).map(({ name }) => name)),
    fail: (...more) => void faults.push(...more),
    sick,
    during: (call, run) => void events.push({ call, run }),
    pin: setPinned,
    react: (ref, emoji, people) =>
      void reactions.set(
        reactionKey(ref, emoji),
        typeof people === 'number'
          ? Array.from({ length: people }, (_, at) => `person-${at}`)
          : people,
      ),
    reacted: ({ id }) => [...(reacted.get(id) ?? [])],
    restrictByAge: ({ id }, isRestricted) =>
      void (isRestricted ? restricted.add(id) : restricted.delete(id)),
    forums,
    threadless,
    startThread: (of, name, { under, ...part } = {}) => {
      last += 1;
      const thread = channel(under ? `${of.id}/${under.id}` : `${of.id}/${last}`, of.id, of.space);
      const from = under ? { begun: under } : {};
      threads.set(thread.id, { name, ownerId: 'ada', isPrivate: false, ...from, ...part });
      return thread;
    },
    threadChanges,
    threads,
    nameSpace: ({ id }, name) => void spaceNames.set(id, name),
    asked: (of) => shownIn(of).flatMap(({ controls = [] }) => controls.map(({ press }) => press)),
    lack: (...permissions) => {
      lacking = permissions;
    },
    left,
    banned,
    unknownBans,
    pinned: (of) =>
      shownIn(of)
        .filter(({ message }) => pinned.has(`${of.id} ${message.ref.id}`))
        .map(({ message }) => plainText(message.text)),
    pings,
    calls,
    whispered,
    unguarded,
  };
};
