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
  /** Voice messages and audio files are written down. */
  readonly transcribes: boolean;
  /** True when messages of other bots are translated too. */
  readonly bots: boolean;
}

/**
 * The channels in which what people write is translated as it comes. A group of which one channel is
 * left, whatever became of the others, ends with it.
 */
export interface Watches {
  /** The watch of a channel; a thread has its parent's, mirrors apart. */
  of(channel: Channel): ChannelWatch | undefined;
  /** Lists the watches of a space in the order in which they were set. */
  list(space: Space): readonly ChannelWatch[];
  /**
   * Sets the watches of some channels at once, each in place of the one it had; all or nothing.
   * Rejects with what the platform's people must still allow (`forbidden`, `watch.missing`).
   */
  set(watches: readonly ChannelWatch[]): Promise<void>;
  /** Resolves with false where nothing was watched. What waits there is skipped. */
  remove(channel: Channel): Promise<boolean>;
  /** Names of what the platform's people must still allow for a watch, as the platform shows them. */
  missing(watch: ChannelWatch): Promise<readonly string[]>;
}
