import { DAY_MS } from '../../async/clock.ts';
import { createSemaphore } from '../../async/locks.ts';
import { userError } from '../../errors.ts';
import { rootOf, type Message } from '../../model/message.ts';
import {
  channelMention,
  isSameChannel,
  type Channel,
  type MessageRef,
  type Person,
} from '../../model/place.ts';
import type { MirrorStore } from '../../store/channels/mirrors.ts';
import { skippedAmong } from '../../store/inbox/outcomes.ts';
import { WATCH } from '../../store/inbox/row.ts';
import type { Store } from '../../store/index.ts';
import type { Privacy } from '../../store/privacy/person-data.ts';
import { isBlankMessage } from '../../text/message-checks.ts';
import { beginningOfDay } from '../../text/time-of-day.ts';
import { ifSoon, within, type WatchedPlatforms } from '../watched-platforms.ts';
import type { OptedOutOf } from './authors.ts';
import { createSourcesOf } from './source-texts.ts';

/** Messages of a channel that are looked at for the newest ones, and for what somebody missed. */
const RECENT = 100;
export const MOST_MISSED = 300;
/** Replies of one thread that are looked at, and the longest wait for those of all threads. */
const MOST_REPLIES = 30;
const REPLIES_MS = 5_000;
/** Longest wait for messages that are read again. */
const AGAIN_MS = 10_000;
/** Sources that are read at once only to learn who wrote them, and the longest waits for one and for all. */
const READ_AT_ONCE = 10;
const SOURCE_MS = 3_000;
const SOURCES_MS = 10_000;

export interface MissedMessagesDeps {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly optedOutOf: OptedOutOf;
  readonly store: Pick<Store, 'selectFrom'>;
  readonly stored: Pick<MirrorStore, 'sourcesOf' | 'isDeleted' | 'others'>;
  readonly now: () => number;
}

/**
 * The position of the first message that is read, which the next ones follow. Or, where the newest of many are read, the
 * number of days before today with which they begin, in a person's time zone or in UTC, or how long ago they may have been
 * written: then only after the last message of `afterOwn`, the id of a person, where there is one.
 */
export type MissedSince =
  | string
  | {
      readonly daysBefore: number;
      readonly timeZone?: string | undefined;
      readonly afterOwn?: undefined;
    }
  | { readonly agoMs: number; readonly afterOwn?: string };

/** The time from which messages were missed, ms since 1970. */
export const missedSinceMs = (from: Exclude<MissedSince, string>, nowMs: number): number =>
  'agoMs' in from ? nowMs - from.agoMs : beginningOfDay(nowMs, from.daysBefore, from.timeZone);

export interface MissedMessages {
  /** The time after which they were written, ms since 1970: what was asked for, or that of the person's last message. */
  readonly sinceMs: number;
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** True where there are earlier ones, too: of more than `MOST_MISSED` the newest are read. */
  readonly isCut: boolean;
  /** The position at which to go on, where there are more from a position on than are read. */
  readonly next?: string | undefined;
  /** The id of the first message of the one thread in which they stand. */
  readonly thread?: string | undefined;
  /** The number that are left out because somebody whose words they hold opted out, or because nobody can tell whose they are. */
  readonly leftOut: number;
}

/** Messages of which each may be shown, and the number of others, as in `MissedMessages`. */
export type ShownMessages = Pick<MissedMessages, 'messages' | 'leftOut'>;

/** Reads messages of channels for somebody who missed them. Every method rejects with an `AppError`. */
export interface MissedMessagesReader {
  /**
   * Reads the newest messages of the last day that have words, oldest first. Rejects with `unavailable` where the platform
   * takes minutes for that.
   */
  recent(channel: Channel, most: number, signal: AbortSignal): Promise<readonly Message[]>;
  /**
   * Reads the messages with words, files or stickers since then, copies from linked channels included. Rejects as `recent` does.
   *
   * @param thread the id of the first message of the thread whose replies alone are read. Default: what stands in the channel
   */
  since(
    channel: Channel,
    from: MissedSince,
    signal: AbortSignal,
    thread?: string,
  ): Promise<MissedMessages>;
  /** Reads the first replies in the threads under messages, a number of each; those that cannot be read soon are left out. */
  replies(messages: readonly Message[], each: number, signal: AbortSignal): Promise<ShownMessages>;
  /**
   * Reads messages of a channel again, oldest first as they are given and their replies with them: what may be shown of them at
   * this moment. Replies that cannot be read again soon stay as they are given, unless they are known to be deleted; so do all
   * messages where reading takes minutes. Without a message that is given its replies are left out. Rejects with
   * `forbidden` where a person is not, or not any more, among the channel's readers.
   */
  still(
    channel: Channel,
    messages: readonly Message[],
    readerId: string,
    signal: AbortSignal,
  ): Promise<ShownMessages>;
  /** The time at which a message was written, ms since 1970. */
  timeOf(message: Message): number;
  /** The lowest position in a channel of a message that was written at a time. */
  positionAt(channel: Channel, timeMs: number): string;
}

export const createMissedMessages = (deps: MissedMessagesDeps): MissedMessagesReader => {
  const { platforms, privacy, optedOutOf, store, stored, now } = deps;
  const sourcesOf = createSourcesOf(deps);

  /** Keeps the messages of others with words or files, of which none is by somebody who opted out. */
  const readable = async (all: readonly Message[], signal: AbortSignal): Promise<ShownMessages> => {
    const asked = new Map<string, Promise<boolean>>();
    const isOut = (person: Person): Promise<boolean> => {
      const key = JSON.stringify(person);
      const known = asked.get(key) ?? privacy.optedOut(person);
      asked.set(key, known);
      return known;
    };
    // What somebody wrote while they were opted out stays out.
    const wroteOut = await skippedAmong(
      store,
      all.map(({ ref }) => ref),
      'opted-out',
    );
    const turns = createSemaphore(READ_AT_ONCE);
    const ended = new AbortController();
    const until = AbortSignal.any([signal, ended.signal]);
    const read = async (source: MessageRef): Promise<Message | undefined> =>
      turns.use(() => {
        const reading = platforms.of(source.channel).feed.read(source);
        return within(SOURCE_MS, reading, undefined);
      }, until);
    let leftOut = 0;
    const kept = all.map(async (message) => {
      const { files, stickers, text, system } = message;
      if (system || (isBlankMessage(text) && files.length + stickers.length === 0)) return [];
      const { ref, author, copied } = message;
      // Of our messages, only copies from other channels are missed by anybody.
      if (author.kind === 'ourselves' && (await sourcesOf(ref)).length === 0) {
        // Whose words these are was known until the server of their author was left.
        if (copied) leftOut += 1;
        return [];
      }
      // A source that cannot be read, and soon, may be of somebody who opted out.
      const out = await ifSoon(SOURCES_MS, optedOutOf(message, { read, isOut, wroteOut }));
      const isRefused = out?.length !== 0;
      if (isRefused) leftOut += 1;
      return isRefused ? [] : [message];
    });
    const messages = (await Promise.all(kept).finally(() => ended.abort())).flat();
    signal.throwIfAborted();
    return { messages, leftOut };
  };

  /** Leaves out of the replies under a message what flags brought there; `WATCH` is told by the mode of its channel. */
  const withoutOurs = async (message: Message): Promise<Message> => {
    const { ref, replies, threadId, ...rest } = message;
    if (!replies?.ours || replies.ours === 'none' || threadId === undefined) return message;
    const brought = await stored.others({ ref, purpose: WATCH });
    const ours = brought.filter(({ channel }) => isSameChannel(channel, ref.channel));
    const count = replies.count - ours.flatMap(({ ids }) => ids).length;
    return { ...rest, ref, threadId, ...(count > 0 ? { replies: { ...replies, count } } : {}) };
  };

  /** Reads the first messages from a position on, or the newest since a time. */
  const readSince = async (
    channel: Channel,
    from: MissedSince,
    most: number,
    signal: AbortSignal,
    thread?: string,
  ): Promise<Pick<MissedMessages, 'messages' | 'sinceMs'>> => {
    const { feed } = platforms.of(channel);
    const demandSpeed = (): void => {
      if (feed.isHistorySlow?.(channel)) throw userError('unavailable', 'autotranslate.read-slow');
    };
    demandSpeed();
    const sinceMs = typeof from === 'string' ? feed.timeOf(from) : missedSinceMs(from, now());
    const position = typeof from === 'string' ? from : feed.positionAt(sinceMs);
    const which = typeof from === 'string' ? 'earliest' : 'newest';
    const messages =
      thread === undefined
        ? await feed[which](channel, position, most, signal)
        : ((await feed.replies?.({ channel, id: thread }, most, signal, position)) ?? []);
    // A first reading may show it, and hold only the newest of them.
    demandSpeed();
    return { sinceMs, messages: await Promise.all(messages.map(withoutOurs)) };
  };

  /** Reads the first replies under messages, or those from a position on, by thread; undefined where that is not done soon. */
  const repliesUnder = async (
    roots: readonly (MessageRef & { readonly from?: string | undefined })[],
    signal: AbortSignal,
  ): Promise<readonly (readonly Message[] | undefined)[]> => {
    if (roots.length === 0) return [];
    const soon = AbortSignal.any([signal, AbortSignal.timeout(REPLIES_MS)]);
    const reading = roots.map(async ({ from, ...ref }) => {
      const { feed } = platforms.of(ref.channel);
      const isSlow = feed.isHistorySlow?.(ref.channel);
      const most = from === undefined ? MOST_REPLIES : MOST_MISSED;
      return isSlow ? undefined : feed.replies?.(ref, most, soon, from);
    });
    const read = await Promise.allSettled(reading);
    return read.map((one) => (one.status === 'fulfilled' ? one.value : undefined));
  };

  /** Reads messages of a channel again; undefined where that takes minutes. */
  const againSoon = async (
    channel: Channel,
    from: string,
    signal: AbortSignal,
  ): Promise<readonly Message[] | undefined> => {
    const { feed } = platforms.of(channel);
    const isSlow = (): boolean => feed.isHistorySlow?.(channel) === true;
    if (isSlow()) return undefined;
    const soon = AbortSignal.any([signal, AbortSignal.timeout(AGAIN_MS)]);
    try {
      const messages = await feed.earliest(channel, from, MOST_MISSED, soon);
      return await Promise.all(messages.map(withoutOurs));
    } catch (thrown) {
      signal.throwIfAborted();
      if (!isSlow()) throw thrown;
      return undefined;
    }
  };

  const timeOf = ({ ref, position }: Message): number =>
    platforms.of(ref.channel).feed.timeOf(position);

  return {
    recent: async (channel, most, signal) => {
      const { messages: found } = await readSince(channel, { agoMs: DAY_MS }, RECENT, signal);
      const written = found.filter(
        ({ author, text }) => author.kind !== 'ourselves' && !isBlankMessage(text),
      );
      return (await readable(written, signal)).messages.slice(-most);
    },
    since: async (channel, from, signal, thread) => {
      const reading = readSince(channel, from, MOST_MISSED + 1, signal, thread);
      const { messages: found, sinceMs } = await reading;
      const isForward = typeof from === 'string';
      const afterOwn = isForward ? undefined : from.afterOwn;
      // Their position counts whether or not they opted out: it says nothing of what they wrote.
      const own = found.findLastIndex(
        ({ author }) => author.kind === 'person' && author.id === afterOwn,
      );
      const last = found[own];
      const all = found.slice(own + 1);
      const read = isForward ? all.slice(0, MOST_MISSED) : all.slice(-MOST_MISSED);
      return {
        ...(await readable(read, signal)),
        sinceMs: last ? timeOf(last) : sinceMs,
        isCut: !isForward && all.length > MOST_MISSED,
        next: isForward ? all[MOST_MISSED]?.position : undefined,
        thread,
      };
    },
    still: async (channel, messages, readerId, signal) => {
      const { feed } = platforms.of(channel);
      if ((await feed.isReader?.(channel, readerId)) === false)
        throw userError('forbidden', 'errors.channel-unseen', { channel: channelMention(channel) });
      const [from] = messages.map(({ position }) => position).toSorted();
      if (from === undefined) return { messages, leftOut: 0 };
      const asked = new Set(messages.map(({ ref }) => ref.id));
      const threads = Map.groupBy(messages, rootOf);
      const refs = [...threads].flatMap(([id, [first]]) =>
        id === undefined ? [] : { channel, id, from: asked.has(id) ? undefined : first?.position },
      );
      const [standing, replies] = await Promise.all([
        threads.has(undefined) ? againSoon(channel, from, signal) : undefined,
        repliesUnder(refs, signal),
      ]);
      // By the message under which they stand; what stands in the channel by undefined.
      const read = new Map<string | undefined, readonly Message[] | undefined>([
        [undefined, standing],
        ...refs.map(({ id }, at) => [id, replies[at]] as const),
      ]);
      const again = messages.map(async (message) => {
        const among = read.get(rootOf(message));
        if (among) return among.find(({ ref }) => ref.id === message.ref.id);
        return (await stored.isDeleted(message.ref)) ? undefined : message;
      });
      const there = (await Promise.all(again)).filter((one) => one !== undefined);
      const shown = await readable(there, signal);
      const gone = asked.difference(new Set(shown.messages.map(({ ref }) => ref.id)));
      return {
        ...shown,
        messages: shown.messages.filter((one) => !gone.has(rootOf(one) ?? '')),
      };
    },
    replies: async (messages, each, signal) => {
      const refs = messages.map(({ ref }) => ref);
      const threads = await Promise.all(
        (await repliesUnder(refs, signal)).map(async (read = []) => readable(read, signal)),
      );
      return {
        messages: threads.flatMap((read) => read.messages.slice(0, each)),
        leftOut: threads.reduce((sum, read) => sum + read.leftOut, 0),
      };
    },
    timeOf,
    positionAt: (channel, timeMs) => platforms.of(channel).feed.positionAt(timeMs),
  };
};
