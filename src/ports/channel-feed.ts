import type { Sentence } from '../errors.ts';
import type { Channel, LinkedMessage, Member, MessageRef, Space } from '../model/place.ts';
import type { Message } from '../model/message.ts';
import type { RichText } from '../rich-text/rich-text.ts';
import type { WatchMode } from '../model/space.ts';

export interface HistoryOptions {
  /**
   * Position after which messages may have been missed; earlier ones are known, and read again for
   * changes where that costs little.
   */
  readonly missedAfter: string;
  /**
   * Takes two positions between which the adapter may not read the messages, or not in reasonable
   * time: these count neither as missed nor as deleted. Called before the first message is yielded.
   */
  readonly unread: (after: string, before: string) => void;
}

/** A thread as people see it. */
export interface ThreadInfo {
  readonly name: string;
  /** Id of the person who began it. */
  readonly ownerId: string;
  /** True where not everybody who reads its channel may read it. */
  readonly isPrivate: boolean;
  /** The message in its channel under which it was begun, if it was: it may be gone. */
  readonly begun?: MessageRef;
  /** The state that people gave it; undefined where it is not known to be theirs. */
  readonly isArchived?: boolean;
  readonly isLocked?: boolean;
}

/** A change of a thread that is a channel of its own. */
export interface ThreadChange {
  readonly name?: string;
  readonly isArchived?: boolean;
  /** True where only moderators may write in it and open it. */
  readonly isLocked?: boolean;
}

/**
 * Reads messages on a platform. A position is a text whose format only the adapter knows; positions
 * sort the messages of one channel. Every method rejects with an `AppError`.
 */
export interface ChannelFeed {
  /** Completes the channel with everything the platform knows of it, such as its parent channel. */
  resolve(channel: Channel): Channel;
  /** Lowest position of a message written at this time (ms since 1970). */
  positionAt(timeMs: number): string;
  /**
   * Time at which the message at this position was written, ms since 1970; never decreases with the
   * position.
   */
  timeOf(position: string): number;
  /**
   * Yields the messages after a position, fetched page by page: those of the channel, and those of
   * each of its threads, oldest first. A missing message counts as deleted, so the adapter throws
   * when it cannot list all of them, unless it says which ones are unread.
   */
  history(
    channel: Channel,
    after: string,
    signal: AbortSignal,
    options?: HistoryOptions,
  ): AsyncIterable<Message>;
  /**
   * Reads the newest messages of a channel itself that stand at a position or after it, oldest first, none of its
   * threads: of these only how many replies they have.
   *
   * @param most how many; older ones are left out
   */
  newest(
    channel: Channel,
    from: string,
    most: number,
    signal: AbortSignal,
  ): Promise<readonly Message[]>;
  /** Reads the first of these messages, in place of the newest; later ones are left out. */
  earliest: ChannelFeed['newest'];
  /**
   * Reads the first replies in the thread under a message that do not stand in the channel, too, oldest first; from a position
   * on, also those that do. Omitted by platforms whose threads are channels.
   */
  replies?(
    ref: MessageRef,
    most: number,
    signal: AbortSignal,
    from?: string,
  ): Promise<readonly Message[]>;
  /**
   * True where every message is reported sooner or later, and again after a report that failed: nothing is
   * missing before the first report to this process. Default: false.
   */
  reportsAll?(channel: Channel): boolean;
  /** True where a history takes minutes: nothing waits for it. Default: false. */
  isHistorySlow?(channel: Channel): boolean;
  /**
   * Reads the current message; undefined when it is deleted.
   *
   * @param of source whose mirror is meant, when one of our messages holds several mirrors
   */
  read(ref: MessageRef, of?: MessageRef): Promise<Message | undefined>;
  /**
   * Gives the mentions of a text the names that every reader of this channel may know; others stay
   * without a name.
   */
  named(channel: Channel, text: RichText): Promise<RichText>;
  /**
   * True while a person is in the space of a channel and sees it. Omitted by platforms on which nobody is
   * mentioned.
   */
  isReader?(channel: Channel, personId: string): Promise<boolean>;
  /** True while a person is banned from a space; undefined where the bot may not know that. Omitted by platforms without bans. */
  isBanned?(space: Space, personId: string): Promise<boolean | undefined>;
  /**
   * The name of a person in a space; undefined for an id that nobody there has. Omitted by platforms on which nobody can be
   * looked up.
   */
  personName?(space: Space, personId: string): Promise<string | undefined>;
  /** Finds the first people of a space whose name begins so. Omitted by platforms on which nobody is found by name. */
  peopleNamed?(space: Space, name: string): Promise<readonly Pick<Member, 'id' | 'name'>[]>;
  /**
   * Lists names in a space that may look like this one: of the bot, the space itself, and its people as far as they are found
   * in few requests; undefined where there are too many. Omitted by platforms on which nobody can be looked up.
   */
  namesLike?(space: Space, name: string): Promise<readonly string[] | undefined>;
  /** The address at which people find a message; omitted by platforms without. */
  link?(ref: MessageRef): string;
  /** The address of the thread under a message that has one; omitted by platforms without. */
  threadLink?(ref: MessageRef): string;
  /**
   * Reads what a person typed for a message: its link, or its id in the channel where they typed it; undefined for anything
   * else. Nobody is asked whether there is such a message. Omitted by platforms without links.
   */
  find?(typed: string, here: Channel): LinkedMessage | undefined;
  /** The name or address of a space for people elsewhere; undefined where it is not known. */
  spaceName?(space: Space): Promise<string | undefined>;
  /** True where old messages may not be readable although nobody deleted them. Default: false. */
  readonly hidesOld?: boolean;
  /** True where a channel is deleted, or cannot be told from one that is. Default: false. */
  isGone?(channel: Channel): Promise<boolean>;
  /** True where a channel is known to be deleted. Omitted by platforms that say no more than `isGone`. */
  isDeleted?(channel: Channel): Promise<boolean>;
  /** True where not everybody in its space sees a channel. Default: false. */
  isPrivate?(channel: Channel): Promise<boolean>;
  /** True where the platform shows a channel to adults alone. Default: false. */
  isAgeRestricted?(channel: Channel): Promise<boolean>;
  /**
   * Lists the ids of the people who have reacted to a message with this emoji, no bots; of many, the first 100. None where
   * the message is gone.
   */
  reactors(ref: MessageRef, emoji: string): Promise<readonly string[]>;
  /** True of a person's conversation with the bot, where nothing is translated by itself. Default: false. */
  isTalk?(channel: Channel): boolean;
  /**
   * Lists the pinned messages of a channel, or of a thread that is one, itself. Omitted by platforms without pins, and where
   * each change of a pin is reported sooner or later.
   */
  pinned?(channel: Channel): Promise<readonly MessageRef[]>;
  /** True where messages stand in threads of a channel alone. Default: false. */
  holdsPosts?(channel: Channel): Promise<boolean>;
  /** False where the bot lacks the permission to begin threads. Default: true. */
  mayBeginThreads?(channel: Channel): Promise<boolean>;
  /**
   * Describes a thread that is a channel of its own; undefined where it is gone. Omitted by platforms without
   * such threads.
   */
  describeThread?(thread: Channel): Promise<ThreadInfo | undefined>;
  /**
   * Lists the permissions that this mode lacks, named as the platform shows them. A channel outside
   * its space lacks all of them, so that nobody can have it mirrored elsewhere. Rejects with a sentence for
   * people where something else is missing.
   *
   * @param below as in `ChannelWatch`
   */
  missing(channel: Channel, mode: WatchMode, below?: boolean): Promise<readonly string[]>;
  /** Names what makes translations less than they could be, where moderators can mend it. Default: nothing. */
  drawback?(channel: Channel, mode: WatchMode): Promise<Sentence | undefined>;
}

/** Receives an adapter's reports of messages. */
export interface ChannelFeedListener {
  /** True when new messages of the channel matter. Called for each new message, so it must be cheap. */
  follows(channel: Channel): boolean;
  /**
   * The space in which a channel is watched, where several spaces share it; otherwise its own. Called
   * for each message, so it must be cheap.
   */
  spaceOf(channel: Channel): Space;
  /**
   * Takes the current state of a message: new in a watched channel, or changed anywhere. An
   * unchanged message has no effect. Resolves when the message is durably stored.
   */
  messageChanged(message: Message): Promise<void>;
  messagesDeleted(refs: readonly MessageRef[]): Promise<void>;
  /** Takes whether a message is pinned now, which may not have changed. */
  pinChanged(ref: MessageRef, isPinned: boolean): Promise<void>;
  /** Takes what was changed of a thread, by us or others; not that it was archived because nobody wrote in it. */
  threadChanged(thread: Channel, change: ThreadChange): Promise<void>;
  /**
   * Takes the addition or removal of a reaction.
   *
   * @param memberId the one who reacted, where the platform can show something to them alone
   */
  reactionChanged(
    ref: MessageRef,
    emoji: string,
    isPresent: boolean,
    memberId?: string,
  ): Promise<void>;
  /**
   * Takes a ban, which may have deleted the person's messages.
   *
   * @param name of the person, where the platform tells it
   */
  memberBanned(space: Space, authorId: string, name?: string): Promise<void>;
  /** Takes the end of a ban. */
  memberUnbanned(space: Space, authorId: string): Promise<void>;
  /**
   * Takes channels that may have unreported messages. Fetches the history of the watched ones;
   * later reports of those channels wait for it.
   *
   * @param channels each with the position of its newest message; undefined when the platform does
   * not know it
   */
  messagesMissed(
    channels: readonly { readonly channel: Channel; readonly newest: string | undefined }[],
  ): void;
  /**
   * Fetches a channel's history as `messagesMissed` does. Resolves with true once all that can be read was
   * read, with false where that was ended before.
   */
  readMissed(channel: Channel): Promise<boolean>;
  /** Takes that messages of a platform can be worked on, where `messagesMissed` does not tell it. */
  connected(platform: string): void;
  /** Takes a change of what Dragoman may do in a space: what was forbidden may be allowed now. */
  accessChanged(space: Space): Promise<void>;
  channelDeleted(channel: Channel): Promise<void>;
  /** Takes that a channel is shown to adults alone from now on, or to everybody again. */
  ageRestrictionChanged(channel: Channel, isRestricted: boolean): Promise<void>;
  /** Takes the new name of a space, and its former one. */
  spaceRenamed(space: Space, former: string, name: string): Promise<void>;
  /** Takes that the bot is in a space, which it may have been removed from before. */
  spaceJoined(space: Space): Promise<void>;
  /**
   * Takes the bot's removal from a space; not that the space cannot be reached. Resolves when nothing
   * is stored of the space any more. Until `spaceJoined`, nothing is stored for it.
   */
  spaceLeft(space: Space): Promise<void>;
}
