import type { Channel, Space } from './place.ts';
export type WatchMode = 'reply' | 'thread' | 'mirror';

/** The auto-translate settings of one channel. */
export interface ChannelWatch {
  readonly channel: Channel;
  readonly mode: WatchMode;
  /** `reply`, `thread`: the languages translated into. `mirror`: the one language of this channel. */
  readonly languages: readonly string[];
  /** `mirror`: the channels of one group are copied into each other. */
  readonly group?: string;
  /** True when voice messages and audio files are transcribed. */
  readonly transcribes: boolean;
  /** True when messages of other bots are translated too. */
  readonly bots: boolean;
  /** `reply`: true where translations stand in the channel, below the message, not in its thread. */
  readonly below?: true;
}

/** A code by which a channel elsewhere can be linked with one here, once. */
export interface LinkInvite {
  readonly code: string;
  /** End of its life, ms since 1970. */
  readonly expiresMs: number;
}

/**
 * The channels in which messages are translated automatically. A group ends
 * when only one of its channels is left, whatever became of the others.
 */
export interface Watches {
  /** The watch of a channel; a thread has its parent's, mirrors apart. */
  of(channel: Channel): ChannelWatch | undefined;
  /** Lists the watches of a space in the order in which they were set. */
  list(space: Space): readonly ChannelWatch[];
  /**
   * Sets the watches of several channels at once, each in place of its former one; all or nothing.
   * Rejects with the permissions that the platform's people must still grant (`forbidden`,
   * `watch.missing`).
   */
  set(watches: readonly ChannelWatch[]): Promise<void>;
  /**
   * Ends a watch; resolves with false where there was none. Pending messages of the channel are
   * skipped.
   */
  remove(channel: Channel): Promise<boolean>;
  /** Names of the permissions that a watch still lacks, as the platform shows them. */
  missing(watch: ChannelWatch): Promise<readonly string[]>;
  /** Counts the channels of other spaces that are linked with this one. */
  elsewhere(watch: ChannelWatch): number;
  /**
   * Makes a code by which a channel of another space can be linked with this one. Rejects with the
   * permissions that the channel lacks (`forbidden`, `watch.missing`).
   */
  invite(watch: ChannelWatch): Promise<LinkInvite>;
  /**
   * Links a channel with the one for which a code was made; resolves with all channels of the group.
   * Rejects with `not-found` for a code that is unknown, used or expired.
   */
  link(code: string, watch: ChannelWatch): Promise<readonly ChannelWatch[]>;
}
