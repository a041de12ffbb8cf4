import type { Channel, MessageRef, Space } from '../model/place.ts';
import type { MentionedId, MentionNames } from '../model/mention.ts';
import type { Message } from '../model/message.ts';
import type { WatchMode } from '../model/watch.ts';

/**
 * Reads what people write on a platform. Positions are the adapter's: texts that sort the messages of one
 * channel, of which the core knows no more. Every method rejects with an `AppError`.
 */
export interface ChannelFeed {
  /** The channel with all that the platform knows of it, such as the channel that it belongs to. */
  resolve(channel: Channel): Channel;
  /** The position that a message written at this time (ms since 1970) would have at least. */
  positionAt(timeMs: number): string;
  /** The time at which a message at this position was written, ms since 1970; never less for a later position. */
  timeOf(position: string): number;
  /**
   * The messages after a position, oldest first, fetched page by page. One that is left out counts as
   * deleted, so it throws where it cannot tell all of them.
   */
  history(channel: Channel, after: string, signal: AbortSignal): AsyncIterable<Message>;
  /**
   * The message as it is now; undefined when it is deleted.
   *
   * @param of names the source whose mirror is meant, of a message of ours that holds several mirrors
   */
  read(ref: MessageRef, of?: MessageRef): Promise<Message | undefined>;
  /** The names behind mentions, as far as everybody who reads this channel may know them. */
  names(channel: Channel, mentions: readonly MentionedId[]): Promise<MentionNames>;
  /** Counts the people who react to the message with this emoji now. */
  reactions(ref: MessageRef, emoji: string): Promise<number>;
  /**
   * Names of what the platform's people must still allow for this mode, as the platform shows them. A
   * channel that is not in its space lacks everything: nobody may have it mirrored elsewhere.
   */
  missing(channel: Channel, mode: WatchMode): Promise<readonly string[]>;
}

/** Takes an adapter's reports of what people write. */
export interface ChannelFeedListener {
  /** True where new messages matter; cheap, asked for each one that comes. */
  follows(channel: Channel): boolean;
  /**
   * Takes a message as it is now: new in a watched channel, or changed anywhere. One that is the same as
   * before does nothing. Resolves when it cannot be lost any more.
   */
  messageChanged(message: Message): Promise<void>;
  messagesDeleted(refs: readonly MessageRef[]): Promise<void>;
  /** A reaction came or went. */
  reactionChanged(ref: MessageRef, emoji: string, isPresent: boolean): Promise<void>;
  /** A member was banned: their messages may have been deleted with it. */
  memberBanned(space: Space, authorId: string): Promise<void>;
  /**
   * Messages may have come unreported: the history of the watched ones of these channels is fetched, and
   * what is reported of them meanwhile waits behind it.
   *
   * @param channels each with the position of its newest message; undefined where the platform does not know
   */
  messagesMissed(
    channels: readonly { readonly channel: Channel; readonly newest: string | undefined }[],
  ): void;
  channelDeleted(channel: Channel): Promise<void>;
  /** The bot is in this space no more. */
  spaceLeft(space: Space): Promise<void>;
}
