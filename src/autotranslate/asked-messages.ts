import { DAY_MS } from '../async/clock.ts';
import { userError } from '../errors.ts';
import type { Message } from '../model/message.ts';
import { isSameChannel, type Channel, type MessageRef, type Person } from '../model/place.ts';
import type { MirrorStore } from '../store/channels/mirrors.ts';
import type { Store } from '../store/index.ts';
import { outcomesOf } from '../store/inbox/outcomes.ts';
import { WATCH } from '../store/inbox/row.ts';
import type { Privacy } from '../store/privacy/person-data.ts';
import { isBlankMessage } from '../text/message-checks.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

/** Messages of a channel that are looked at for the newest ones, and for what somebody missed. */
const RECENT = 100;
export const MOST_MISSED = 300;

export interface AskedMessagesDeps {
  readonly platforms: Pick<WatchedPlatforms, 'of'>;
  readonly privacy: Pick<Privacy, 'optedOut'>;
  readonly store: Pick<Store, 'selectFrom'>;
  readonly stored: Pick<MirrorStore, 'sourcesOf'>;
  readonly now: () => number;
}

/** The position of the first message that was missed, or how long ago it may have been written. */
export type MissedSince = string | { readonly agoMs: number };

/** The messages that somebody missed. */
export interface MissedMessages {
  /** Oldest first. */
  readonly messages: readonly Message[];
  /** True where older ones may have been missed, too: the newest `MOST_MISSED` are looked at. */
  readonly isCut: boolean;
}

/** Reads messages for somebody who asks for them: none of people who opted out. Every method rejects with an `AppError`. */
export interface AskedMessages {
  /** Reads a message; undefined where it is gone, or its author opted out. */
  read(ref: MessageRef): Promise<Message | undefined>;
  /**
   * Reads the newest messages of the last day that have words, oldest first. Rejects with `unavailable` where the platform
   * takes minutes for that.
   */
  recent(channel: Channel, most: number, signal: AbortSignal): Promise<readonly Message[]>;
  /**
   * Reads the messages with words at a position and after it, or of the last `agoMs`, copies from linked channels
   * included. Rejects as `recent` does.
   */
  since(channel: Channel, from: MissedSince, signal: AbortSignal): Promise<MissedMessages>;
  /** The time at which a message was written, ms since 1970. */
  timeOf(message: Message): number;
}

export const createAskedMessages = (deps: AskedMessagesDeps): AskedMessages => {
  const { platforms, privacy, store, stored, now } = deps;

  /** The people whose words a message holds: of a copy from another channel its authors; none of other messages of ours. */
  const authorsOf = async ({ ref, author }: Message): Promise<readonly Person[]> => {
    const { platform } = ref.channel.space;
    if (author.kind !== 'ourselves') return [{ platform, id: author.id }];
    const sources = (await stored.sourcesOf(ref)).filter(
      (source) => source.purpose === WATCH && !isSameChannel(source.ref.channel, ref.channel),
    );
    const found = sources.map(async ({ ref: source }) => {
      const [known] = await outcomesOf(store, source);
      const id =
        known?.authorId ?? (await platforms.of(source.channel).feed.read(source))?.author.id;
      return id ? [{ platform: source.channel.space.platform, id }] : [];
    });
    return (await Promise.all(found)).flat();
  };

  /** Keeps the messages of others with words, of which none is by somebody who opted out. */
  const readable = async (all: readonly Message[]): Promise<readonly Message[]> => {
    const asked = new Map<string, Promise<boolean>>();
    const isOut = (person: Person): Promise<boolean> => {
      const key = JSON.stringify(person);
      const known = asked.get(key) ?? privacy.optedOut(person);
      asked.set(key, known);
      return known;
    };
    const kept = all.map(async (message) => {
      if (message.system || isBlankMessage(message.text)) return [];
      const authors = await authorsOf(message);
      const isRefused = (await Promise.all(authors.map(isOut))).includes(true);
      return authors.length === 0 || isRefused ? [] : [message];
    });
    return (await Promise.all(kept)).flat();
  };

  const newest = async (
    channel: Channel,
    from: MissedSince,
    most: number,
    signal: AbortSignal,
  ): Promise<readonly Message[]> => {
    const { feed } = platforms.of(channel);
    if (feed.isHistorySlow?.(channel)) throw userError('unavailable', 'autotranslate.read-slow');
    const position = typeof from === 'string' ? from : feed.positionAt(now() - from.agoMs);
    return feed.newest(channel, position, most, signal);
  };

  return {
    read: async (ref) => {
      const message = await platforms.of(ref.channel).feed.read(ref);
      const { platform } = ref.channel.space;
      const isOut = message && (await privacy.optedOut({ platform, id: message.author.id }));
      return isOut ? undefined : message;
    },
    recent: async (channel, most, signal) => {
      const found = await newest(channel, { agoMs: DAY_MS }, RECENT, signal);
      const written = found.filter(({ author }) => author.kind !== 'ourselves');
      return (await readable(written)).slice(-most);
    },
    since: async (channel, from, signal) => {
      const found = await newest(channel, from, MOST_MISSED, signal);
      return { messages: await readable(found), isCut: found.length === MOST_MISSED };
    },
    timeOf: ({ ref, position }) => platforms.of(ref.channel).feed.timeOf(position),
  };
};
