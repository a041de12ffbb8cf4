import type { Channel, MessageRef, Posted } from '../model/place.ts';
import type { Content, OutgoingFile, UnreadFile } from '../model/message.ts';
import type { ThreadChange } from './channel-feed.ts';
import type { WhileHeld } from './processes.ts';
import type { Inline, RichText } from '../rich-text/rich-text.ts';

/** A name and a picture that are shown as the author. */
export interface Persona {
  readonly name: string;
  readonly avatarUrl?: string;
}

/** A channel that contains mirrors, or a thread of it. */
export interface MirrorTarget {
  readonly channel: Channel;
  /** Id of the thread in the adapter's format, on platforms whose threads are not channels. */
  readonly threadId?: string;
}

/** `id`: that of the source's file; omitted where the source has no such file. */
export type MirrorFile = (OutgoingFile | UnreadFile) & { readonly id?: string };

export interface LabelledText {
  readonly label: readonly Inline[];
  readonly text: RichText;
}

/** A message that shows a source in a target: in another language, or as a reply to the source. */
export interface Mirror {
  readonly source: MessageRef;
  /** The thread of the source (`Message.threadId`), where it is known. */
  readonly sourceThreadId?: string;
  /** Address at which readers find the source, where its platform has one. */
  readonly sourceUrl?: string;
  /**
   * Distinguishes the mirrors of one source in one target; stable across calls. The adapter stores
   * or embeds the data it needs to find the mirror again by source, target and key.
   */
  readonly key: string;
  /** Files that are not read yet are read only if the mirror does not have them. */
  readonly content: Omit<Content, 'files'> & { readonly files?: readonly MirrorFile[] };
  /**
   * Language of the mirror as people see it, e.g. `🇯🇵` or `🌐 English`: at the start of a reply,
   * or in the footer.
   */
  readonly label: readonly Inline[];
  /**
   * The texts that a reply's content is made of, the first one under `label`, where there are
   * several. A platform that splits the reply puts its own label above each.
   */
  readonly blocks?: readonly LabelledText[];
  /**
   * Author of the mirror. Omitted: a reply to `source`. Platforms without personas put the name
   * into the text.
   */
  readonly as?: Persona;
  /** True where it stands below its source, in the same channel or thread, without being a reply. */
  readonly below?: true;
  /** True for the mirror of a broadcast: in a thread it is one too, where the platform has such. */
  readonly broadcast?: true;
  /**
   * Message that `source` replies to, as the readers of this mirror find it; plain words. A `ref` to
   * the source of an earlier mirror of the same `create` stands for that mirror.
   */
  readonly quote?: {
    readonly name: string;
    readonly text: string;
    readonly ref: MessageRef;
    /**
     * Id of the quoted author, whom the mirror mentions in place of the name: it notifies them once, when it
     * is created. An update, and what is posted again, notifies nobody.
     */
    readonly mentions?: string;
  };
}

export interface CreateOptions extends WhileHeld {
  /**
   * True when an earlier try may have posted some of the mirrors, perhaps with older content: those
   * are found and updated instead of posted twice.
   */
  readonly mayExist: boolean;
  /** True for mirrors of a backfill, which are posted in between those of what is reported now. */
  readonly isBackfill?: boolean;
  /** Known messages for other keys of the same sources; needed only with `mayExist`. */
  readonly others?: readonly Posted[];
  /** Time at which the oldest of the sources was written, ms since 1970; what was posted came later. */
  readonly sinceMs?: number;
  readonly signal: AbortSignal;
}

export interface UpdateOptions extends WhileHeld {
  /** Given when an earlier try, since this time (ms since 1970), may have added messages. */
  readonly sinceMs?: number | undefined;
}

export interface OrphanOptions extends WhileHeld {
  /** Key of the mirrors to delete; default: all. */
  readonly key?: string | undefined;
  /** Messages that are known to belong to other keys or sources: they stay. */
  readonly others?: readonly Posted[];
}

export interface ThreadOptions extends WhileHeld {
  /**
   * The thread as it was found last, whatever people call it now; it may be gone, or locked, and is
   * then replaced.
   */
  readonly known?: MirrorTarget | undefined;
}

export interface OpenThreadOptions extends WhileHeld {
  /** Names the conversation, the same in each try. */
  readonly key: string;
  /** The message under which it is begun; without one, or where that is gone, the opening is posted. */
  readonly from?: MessageRef;
  readonly opening: RichText;
  /** An address that stands in the opening of this thread alone. */
  readonly url?: string;
  /** True when an earlier try, since `sinceMs` (ms since 1970), may have begun it: it is found, not begun twice. */
  readonly mayExist: boolean;
  readonly sinceMs: number;
}

/** Writes mirrors on a platform. Every method rejects with an `AppError`. */
export interface Mirrors {
  /** Most bytes of all files of one mirror. */
  readonly filesBytes: number;
  /**
   * Posts mirrors in the given order, several in one message when the platform's rate limits
   * require it; yields the location of each. Throws at the first that cannot be posted, with
   * `not-found` where the source of a reply was deleted; later ones are not tried.
   */
  create(
    target: MirrorTarget,
    mirrors: readonly Mirror[],
    options: CreateOptions,
  ): AsyncIterable<Posted>;
  /**
   * Replaces the content of a mirror, and its files where the platform can. Rejects with `not-found`
   * when it was deleted.
   */
  update(posted: Posted, mirror: Mirror, options?: UpdateOptions): Promise<Posted>;
  /** Deletes the mirror of one source; other mirrors in the same messages stay. */
  remove(posted: Posted, source: MessageRef, options?: WhileHeld): Promise<void>;
  /** Takes the quote out of the mirror of a source, whose words stay. Rejects with `not-found` when it was deleted. */
  unquote(posted: Posted, source: MessageRef, options?: WhileHeld): Promise<void>;
  /**
   * Deletes every mirror of a source in a target, including unrecorded ones that an interrupted try
   * may have posted.
   */
  removeOrphans(target: MirrorTarget, source: MessageRef, options?: OrphanOptions): Promise<void>;
  /** True of a message into which the platform itself put several mirrors. Omitted where it never does. */
  isShared?(posted: Posted): boolean;
  /** Pins a message to its channel, or unpins it; one that is so already is no error. Omitted where nothing is pinned. */
  pin?(message: MessageRef, isPinned: boolean): Promise<void>;
  /**
   * Puts our own reaction with a Unicode emoji under a message, or takes it away; one that is so already is no error.
   * Rejects with `forbidden` without the permission. Omitted where nobody reacts.
   */
  react?(message: MessageRef, emoji: string, isPresent: boolean): Promise<void>;
  /**
   * Changes a thread that is a channel of its own; rejects with `forbidden` where the bot may not, perhaps after other
   * parts of the change. Omitted by platforms without such threads.
   */
  changeThread?(thread: Channel, change: ThreadChange): Promise<void>;
  /** Finds a standing thread of a channel, or creates it under this name. */
  thread(channel: Channel, name: string, options?: ThreadOptions): Promise<MirrorTarget>;
  /**
   * Begins a thread for a conversation, or finds the one under its message. Resolves with the channel itself where
   * that can have no threads.
   */
  openThread(channel: Channel, name: string, options: OpenThreadOptions): Promise<MirrorTarget>;
}
