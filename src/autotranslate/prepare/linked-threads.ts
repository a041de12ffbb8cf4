import { hash } from 'node:crypto';
import { orAborted, resultOf } from '../../async/abort.ts';
import { realClock, withDeadline } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { createLru } from '../../async/lru.ts';
import type { Services } from '../../command/services.ts';
import { AppError, toAppError } from '../../errors.ts';
import type { Message } from '../../model/message.ts';
import {
  channelAround,
  channelKey,
  isSameChannel,
  type Channel,
  type MessageRef,
} from '../../model/place.ts';
import { isKeptOut, type ChannelWatch } from '../../model/space.ts';
import type { ThreadInfo } from '../../ports/channel-feed.ts';
import type { MirrorTarget } from '../../ports/mirrors.ts';
import type { Tenure } from '../../ports/processes.ts';
import { plainWords } from '../../rich-text/compose.ts';
import { link, paragraph, styled, text, type RichText } from '../../rich-text/rich-text.ts';
import { plainText } from '../../rich-text/walk.ts';
import { WATCH, type Row } from '../../store/inbox/row.ts';
import {
  conversationOf,
  type LinkedThread,
  type LinkedThreadStore,
  type ThreadState,
} from '../../store/channels/linked-threads.ts';
import { isSameTarget, type MirrorStore } from '../../store/channels/mirrors.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { Store } from '../../store/index.ts';
import type { Privacy } from '../../store/privacy/person-data.ts';
import { recordUsage } from '../../store/usage.ts';
import { shorten } from '../../text/quoted-words.ts';
import { charactersOf } from '../../usage/limits.ts';
import type { Bars } from '../bars.ts';
import { ruledOut, rulesOf } from '../rules.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

/** A thread in linked channels, with those that are one conversation with it. */
export interface LinkedConversation {
  readonly own: MirrorTarget;
  readonly origin: string;
  readonly threads: readonly LinkedThread[];
}

type Described = ThreadInfo & { readonly channel: Channel };

export interface LinkedThreadsDeps {
  readonly linkedThreads: Pick<LinkedThreadStore, 'of' | 'put' | 'isNext'>;
  readonly stored: Pick<MirrorStore, 'of' | 'sourcesOf'>;
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'isOwn'>;
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly services: Pick<Services, 'translator' | 'spaces' | 'limits'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly bars: Bars;
  readonly store: Store;
  readonly now: () => number;
}

/** Threads that are known not to be private. */
const KNOWN = 5_000;
/** Longest wait for a thread that is begun; then its channel is late, and it goes on. */
const BEGIN_MS = 5_000;
/** Longest name of a thread on Discord. */
const NAME_CHARS = 100;
/** The name of a thread whose own name is not shown. */
const NAMELESS = '🧵';

const opening = (name: string, url: string | undefined): RichText => {
  const title = styled('bold', text(name));
  return [paragraph(text(`${NAMELESS} `), url === undefined ? title : link(url, title))];
};

export const nameState = (name: string): ThreadState => ({ nameHash: hash('sha256', name) });

export type LinkedThreads = ReturnType<typeof createLinkedThreads>;

/** Creates the functions that find, and begin, the threads in which the messages of a thread are copied. */
export const createLinkedThreads = (deps: LinkedThreadsDeps) => {
  const { linkedThreads, stored, watches, platforms, services } = deps;
  const open = createLru<string, true>(KNOWN);
  /** Channels that can have no threads. */
  const flat = createLru<string, true>(KNOWN);
  const turns = createKeyedMutex();

  const describe = async (channel: Channel): Promise<Described | undefined> => {
    const info = await platforms.of(channel).feed.describeThread?.(channel);
    return info && { ...info, channel };
  };

  /** The thread that a message stands in: a channel of its own, or where answers are told apart by the thread's id. */
  const threadOf = ({ ref, replyTo, threadId }: Message): MirrorTarget | undefined => {
    const { channel } = ref;
    if (threadId !== undefined) return replyTo && { channel, threadId };
    return channel.parentId === undefined || watches.isOwn(channel) ? undefined : { channel };
  };

  /** The thread that people began; undefined where there is none. Its copies don't say whose words their names are. */
  const originalOf = async ({
    own,
    origin,
    threads,
  }: LinkedConversation): Promise<Described | undefined> => {
    const all = [own, ...threads.map(({ target }) => target)];
    const first = all.find((one) => one.threadId === undefined && conversationOf(one) === origin);
    return first && describe(first.channel);
  };

  /** The message under which a thread was begun, as its author wrote it; undefined where there is none. */
  const beginningOf = async (
    { channel, threadId }: MirrorTarget,
    described: Described | undefined,
  ): Promise<MessageRef | undefined> => {
    const ref = threadId === undefined ? described?.begun : { channel, id: threadId };
    const sources = ref ? await stored.sourcesOf(ref) : [];
    // Nobody can say which of several people's copies is meant.
    return sources.length > 1 ? undefined : (sources[0]?.ref ?? ref);
  };

  /** The message in a channel under which the copy of a thread belongs; undefined where there is none. */
  const startIn = async (begun: MessageRef, to: Channel): Promise<MessageRef | undefined> => {
    if (isSameChannel(begun.channel, to)) return begun;
    const all = await stored.of({ ref: begun, purpose: WATCH });
    const posted = all.find(({ target }) => isSameTarget(target, { channel: to }))?.posted;
    const start = posted && { channel: to, id: posted.ids[0] };
    return start && (await stored.sourcesOf(start)).length === 1 ? start : undefined;
  };

  /** True where the name that a person gave a thread may be shown in a channel. */
  const isShown = async (
    { channel, ownerId, name }: Described,
    to: ChannelWatch,
  ): Promise<boolean> => {
    if (isKeptOut(channel, to, watches.group(to))) return false;
    const { platform } = channel.space;
    if (await deps.privacy.optedOut({ platform, id: ownerId })) return false;
    const author = { id: ownerId, name: '', kind: 'person' } as const;
    if (await deps.bars.isBarred({ ref: { channel, id: '' }, author }, to.channel)) return false;
    const watch = watches.of(channel);
    if (!watch) return true;
    const { people, words } = rulesOf(watch, await services.spaces.of(channel.space));
    const judged = { text: plainWords(name), author, type: 'text' } as const;
    return !ruledOut(judged, { ...(people && { people }), ...(words && { words }) });
  };

  /** The name of a conversation in the language of a channel. */
  const nameFor = async (
    info: Described | undefined,
    to: ChannelWatch,
    signal: AbortSignal,
  ): Promise<string> => {
    if (!info || !(await isShown(info, to))) return NAMELESS;
    const [language = ''] = to.languages;
    const { space } = info.channel;
    const words = plainWords(info.name);
    const characters = charactersOf(words);
    const asWritten = shorten(info.name, NAME_CHARS);
    // Who renamed it is not known: it is the use of the space alone.
    if (await services.limits.fault({ space }, { characters })) return asWritten;
    const request = {
      text: words,
      to: language,
      place: to.channel,
      lane: 'ambient',
      whole: true,
    } as const;
    try {
      const done = await resultOf(services.translator.translate(request, signal));
      if (done.outcome === 'translated')
        await recordUsage(deps.store, space, '', { characters }, deps.now());
      return shorten(plainText(done.text).trim() || info.name, NAME_CHARS);
    } catch (thrown) {
      if (toAppError(thrown).code === 'cancelled') throw thrown;
      // A name that cannot be translated keeps no message from its readers.
      return asWritten;
    }
  };

  const begin = async (
    conversation: LinkedConversation,
    { row, to, group }: { readonly row: Row; readonly to: ChannelWatch; readonly group: string },
    { tenure, signal }: { readonly tenure: Tenure; readonly signal: AbortSignal },
  ): Promise<MirrorTarget> => {
    const { own, origin, threads } = conversation;
    const described = await originalOf(conversation);
    const begun = await beginningOf(own, described);
    const from = begun && (await startIn(begun, to.channel));
    const name = await nameFor(described, to, signal);
    const url = platforms.of(row.ref.channel).feed.link?.(row.ref);
    const assertHeld = (): void => tenure.assertHeld();
    assertHeld();
    const target = await platforms.of(to.channel).mirrors.openThread(to.channel, name, {
      key: origin,
      opening: opening(name, url),
      mayExist: row.mayExist,
      sinceMs: platforms.of(row.ref.channel).feed.timeOf(row.position),
      assertHeld,
      ...(from ? { from } : {}),
      ...(url === undefined ? {} : { url }),
    });
    // A channel that can have no threads takes their messages itself.
    if (isSameTarget(target, { channel: to.channel })) flat.set(channelKey(to.channel), true);
    else {
      const state = described ? nameState(described.name) : {};
      const first = threads.length === 0 ? [{ ...own, state }] : [];
      await linkedThreads.put(group, origin, [...first, target]);
    }
    return target;
  };

  const isBegun = ({ threads }: LinkedConversation, to: Channel): boolean =>
    flat.get(channelKey(to)) ??
    threads.some(({ target }) => isSameChannel(channelAround(target.channel), to));

  return {
    /** The name of a thread, a channel of its own, in the language of a linked channel. */
    nameIn: async (own: Channel, to: ChannelWatch, signal: AbortSignal): Promise<string> =>
      nameFor(await describe(own), to, signal),
    /** True where a channel has the copy of a thread, or takes its messages itself. */
    isBegun,
    /** The thread of linked channels that a message stands in; `private` where only some may read it. */
    of: async (
      message: Message,
      { mode, group }: ChannelWatch,
    ): Promise<LinkedConversation | 'private' | undefined> => {
      const own = mode === 'mirror' ? threadOf(message) : undefined;
      if (!own || group === undefined) return undefined;
      const found = { own, ...(await linkedThreads.of(group, own)) };
      // Answers on such a platform are copied as answers, unless a thread elsewhere has them.
      if (own.threadId !== undefined) return found.threads.length > 0 ? found : undefined;
      const key = channelKey(own.channel);
      if (found.threads.length > 0 || open.get(key)) return found;
      const info = await describe(own.channel);
      if (info && !info.isPrivate) open.set(key, true);
      return info?.isPrivate ? 'private' : found;
    },
    /** False for a channel in which people deleted the copy of a thread. */
    isShownIn: ({ threads }: LinkedConversation, to: Channel): boolean =>
      !threads.some(
        ({ target, isGone }) => isGone && isSameChannel(channelAround(target.channel), to),
      ),
    /** Rejects with `cancelled` where a thread is to be begun before it is the turn of its message. */
    demandTurn: async (
      conversation: LinkedConversation,
      row: Row,
      channels: readonly Channel[],
    ): Promise<void> => {
      // The message that it was begun under, and what was written before, come first.
      const isAll = channels.every((to) => isBegun(conversation, to));
      if (!isAll && !(await linkedThreads.isNext(row)))
        throw new AppError('cancelled', 'a thread is begun when its turn comes');
    },
    /**
     * The thread of a conversation in a linked channel, which is begun where there is none. Rejects with a `TimeoutError` where
     * that takes long, unless the message is for that channel alone.
     */
    target: async (
      conversation: LinkedConversation,
      at: { readonly row: Row; readonly to: ChannelWatch },
      held: { readonly tenure: Tenure; readonly signal: AbortSignal },
    ): Promise<MirrorTarget> => {
      const { own, origin } = conversation;
      const { channel, group = '' } = at.to;
      if (flat.get(channelKey(channel))) return { channel };
      const find = async (): Promise<MirrorTarget> => {
        using _ = await turns.take(`${origin} ${channelKey(channel)}`, held.signal);
        const { threads } = await linkedThreads.of(group, own);
        const known = threads.find(({ target }) =>
          isSameChannel(channelAround(target.channel), channel),
        );
        return known?.target ?? (await begin({ ...conversation, threads }, { ...at, group }, held));
      };
      return at.row.to === undefined
        ? withDeadline(realClock, BEGIN_MS, find, held.signal)
        : orAborted(find(), held.signal);
    },
  };
};
