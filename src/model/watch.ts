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
}
