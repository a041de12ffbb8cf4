import type { Channel, MessageRef, Posted } from '../model/place.ts';
import type { Content } from '../model/content.ts';

/** A name and a picture under which something is shown. */
export interface Persona {
  readonly name: string;
  readonly avatarUrl?: string;
}

/** A channel in which mirrors stand, or a thread of it. */
export interface MirrorTarget {
  readonly channel: Channel;
  /** The thread's id as the adapter gave it, on platforms whose threads are no channels of their own. */
  readonly threadId?: string;
}

/** A message that shows another one in a target: in another language, or as a reply under it. */
export interface Mirror {
  readonly source: MessageRef;
  /**
   * Tells apart the mirrors that one source has in one target, and is the same each time. The adapter keeps or
   * embeds whatever it needs to find the mirror again by source, target and key.
   */
  readonly key: string;
  readonly content: Content;
  /** The language that it shows, as people see it, e.g. `🇯🇵` or `🌐 English`: in front of a reply, or in small print. */
  readonly label: string;
  /** The author. Left out: a reply under `source`; where the platform cannot do this, the name stands in the text. */
  readonly as?: Persona;
  /** The message that `source` answers to, as the readers of this mirror find it. */
  readonly quote?: { readonly name: string; readonly text: string; readonly ref: MessageRef };
}

export interface CreateOptions {
  /**
   * True when an earlier try may have posted some of the mirrors, perhaps of an older state of their sources:
   * those are found and updated, not posted twice.
   */
  readonly mayExist: boolean;
  /** Messages that are known to stand for other keys of the same sources; needed with `mayExist` alone. */
  readonly others?: readonly Posted[];
  readonly signal: AbortSignal;
}

/** Writes mirrors on a platform. Every method rejects with an `AppError`. */
export interface Mirrors {
  /** The most that the files of one mirror may have together. */
  readonly filesBytes: number;
  /**
   * Posts mirrors in the order given, several in one message where the platform's rates ask for it; yields
   * where each stands. Throws at the first that cannot be posted: those after it were not tried.
   */
  create(
    target: MirrorTarget,
    mirrors: readonly Mirror[],
    options: CreateOptions,
  ): AsyncIterable<Posted>;
  /** Shows a mirror anew, in the place of what it showed. `not-found` when it was deleted. */
  update(posted: Posted, mirror: Mirror): Promise<Posted>;
  /** Deletes the mirror of one source; other mirrors in the same messages stay. */
  remove(posted: Posted, source: MessageRef): Promise<void>;
  /**
   * Deletes every mirror of a source in a target, those that nobody knows of included, which a try that was
   * cut off may have posted.
   *
   * @param only a key whose mirrors alone are meant; `others` are known to stand for other keys
   */
  removeOrphans(
    target: MirrorTarget,
    source: MessageRef,
    only?: { readonly key: string; readonly others: readonly Posted[] },
  ): Promise<void>;
  /** The standing thread of this name in a channel, made when there is none. */
  thread(channel: Channel, name: string): Promise<MirrorTarget>;
}
