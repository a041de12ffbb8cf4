import { userError } from '../errors.ts';
import { type Member, channelMention, type Channel } from '../model/place.ts';
import type { Access, Platform } from '../ports/platform.ts';

/** Checks what a person may do in channels, as the platform says at this moment. */
export interface ChannelAccess {
  /**
   * Throws `forbidden` for the first channel that the person may not see or, where they are to
   * write, not write in. A channel that nobody knows is left to what is done with it.
   */
  demand(channels: readonly Channel[], needed: Exclude<Access, 'none'>): Promise<void>;
  /** Filters out the things whose channel the person may not see. */
  seen<Thing>(things: readonly Thing[], channelOf: (thing: Thing) => Channel): Promise<Thing[]>;
}

export const createChannelAccess = (
  { access = async () => 'write' }: Pick<Platform, 'access'>,
  member: Member,
): ChannelAccess => ({
  demand: async (channels, needed) => {
    const found = await Promise.all(channels.map((channel) => access(member, channel)));
    for (const [index, channel] of channels.entries()) {
      const shown = { channel: channelMention(channel) };
      if (found[index] === 'none') throw userError('forbidden', 'errors.channel-unseen', shown);
      if (found[index] === 'see' && needed === 'write')
        throw userError('forbidden', 'errors.channel-not-writable', shown);
    }
  },
  seen: async (things, channelOf) => {
    const found = await Promise.all(things.map((thing) => access(member, channelOf(thing))));
    return things.filter((_, index) => found[index] !== 'none');
  },
});
