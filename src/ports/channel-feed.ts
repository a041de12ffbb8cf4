import { type WatchMode } from '../model/watch.ts';
import type { Channel, MessageRef, Posted, Space } from '../model/place.ts';
import type { Content } from '../model/content.ts';
import type { Message } from '../model/message.ts';
import type { MentionNames } from '../model/mention.ts';

/** Under whose name and picture something is shown. */
export interface Persona {
  readonly name: string;
  readonly avatarUrl?: string;
}

/** What a message in a watched channel becomes somewhere else, or as a reply under it. */
export interface Mirror {
  readonly source: MessageRef;
  readonly content: Content;
  /**
   * What marks it as ours and as made of `source`, e.g. `🇯🇵` or `🌐 English`: shown in front of a
   * reply, and at the end of a copy under somebody's name as a link to `source`. No two copies of
   * one source in one channel share it.
   */
  readonly mark: string;
  /** Marks that an older state of a reply may have begun with; no other copy has them either. */
  readonly formerMarks?: readonly string[];
  /** A reply under `source` when left out; where the platform cannot do this, the name stands in the text. */
  readonly as?: Persona;
  /** What `source` answers to, as the readers of this copy find it. */
  readonly quote?: { readonly name: string; readonly text: string; readonly ref: MessageRef };
}

/** What a platform needs to offer so that channels of it can be watched. Rejects with `AppError`. */
export interface WatchPort {
  /** What the files of one copy may have together. */
  readonly copiedFilesBytes: number;
  /** The channel with all that the platform knows of it, such as a thread's `parentId`. */
  resolve(channel: Channel): Channel;
  /** The position that a message written at this time (ms since 1970) would have at least. */
  positionAt(timeMs: number): string;
  /** When a message at this position was written, ms since 1970. */
  timeOf(position: string): number;
  /**
   * The messages after a position, oldest first, fetched page by page. One that is left out counts as
   * gone, so it throws where it cannot tell all of them.
   */
  history(channel: Channel, after: string, signal: AbortSignal): AsyncIterable<Message>;
  /**
   * The message as it is now; undefined when it is gone.
   *
   * @param of of a message of ours that holds several copies: the source of the one that is meant
   */
  read(ref: MessageRef, of?: MessageRef): Promise<Message | undefined>;
  /** The names behind mentions, as far as everybody who reads this channel may know them. */
  names(channel: Channel): MentionNames;
  /** How many people's reactions with this emoji the message has now. */
  reactions(ref: MessageRef, emoji: string): Promise<number>;
  /**
   * Posts copies in the order given, together where the platform's rates ask for it; yields where
   * each stands. Throws at the first that cannot be posted: those after it were not tried.
   *
   * @param again true when a try before this one may have posted some of them, perhaps of an older
   *   state of the source: what is there already is found and made to show this, not posted twice
   */
  copy(
    to: Channel,
    copies: readonly Mirror[],
    options: { readonly again: boolean; readonly signal: AbortSignal },
  ): AsyncIterable<Posted>;
  /** Shows a copy anew, in the place of what it showed. `not-found` when it was deleted. */
  recopy(posted: Posted, copy: Mirror): Promise<Posted>;
  /** Takes the copy of one source away; what else stands in the same messages stays. */
  uncopy(posted: Posted, source: MessageRef): Promise<void>;
  /**
   * Takes away every copy of a source in a channel, those that nobody knows of included: a try that
   * was cut off may have posted them. Looked for among the last messages, by their marks alone.
   *
   * @param marks only replies that begin with one of these
   */
  sweep(from: Channel, source: MessageRef, marks?: readonly string[]): Promise<void>;
  /** The standing thread of this name in a channel, made when there is none. */
  thread(channel: Channel, name: string): Promise<Channel>;
  /**
   * Names of what the platform's people must still allow for this mode, as the platform shows them. A
   * channel that is not in its space lacks everything: nobody may have it copied elsewhere.
   */
  missing(channel: Channel, mode: WatchMode): Promise<readonly string[]>;
}

/** What an adapter tells of what people write. */
export interface Watcher {
  /** Whether new messages here matter; cheap, asked for each one that comes. */
  watches(channel: Channel): boolean;
  /**
   * A message as it is now: new in a watched channel, or changed anywhere. What is the same as
   * before does nothing. Resolves when it cannot be lost any more.
   */
  seen(message: Message): Promise<void>;
  gone(refs: readonly MessageRef[]): Promise<void>;
  /** A reaction came or went. */
  reacted(ref: MessageRef, emoji: string, present: boolean): Promise<void>;
  /** Somebody's messages may have been taken away with them. */
  banned(space: Space, authorId: string): Promise<void>;
  /**
   * Messages may have come unreported: what came meanwhile is fetched for the watched ones of these
   * channels, and until then what is reported of them waits.
   *
   * @param newest each channel's newest message as the platform knows it; undefined if it does not
   */
  missed(
    channels: readonly { readonly channel: Channel; readonly newest: string | undefined }[],
  ): void;
  channelGone(channel: Channel): Promise<void>;
  spaceGone(space: Space): Promise<void>;
}
