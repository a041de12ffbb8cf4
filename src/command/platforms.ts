import { AppError, userError } from '../errors.ts';
import type { Platform, Access } from '../ports/platform.ts';
import { type Member, channelMention, type Channel } from '../model/place.ts';

export type Platforms = ReturnType<typeof createPlatforms>;

/** Creates the record of the platforms that are on, by name. Adapters add theirs before they start. */
export const createPlatforms = () => {
  const known = new Map<string, { readonly platform: Platform; readonly isReady: () => boolean }>();
  const find = (name: string): Platform | undefined => known.get(name)?.platform;
  return {
    /** @param isReady tells whether people can use the platform at this moment */
    add: (platform: Platform, isReady: () => boolean): void =>
      void known.set(platform.name, { platform, isReady }),
    find,
    /** Throws `unavailable` for a platform that is off. */
    get: (name: string): Platform => {
      const platform = find(name);
      if (!platform) throw new AppError('unavailable', `the platform ${name} is off`);
      return platform;
    },
    /** Tells of each platform, by its name, whether people can use it. */
    ready: (): Readonly<Record<string, boolean>> =>
      Object.fromEntries([...known].map(([name, { isReady }]) => [name, isReady()])),
  };
};

/** Checks what a person may do in channels, as the platform says at this moment. */
export interface ChannelAccess {
  /**
   * Throws `forbidden` for the first channel that the person may not see or, where they are to
   * write, not write in. A channel that nobody knows is left to what is done with it.
   */
  demand(channels: readonly Channel[], needed: Exclude<Access, 'none'>): Promise<void>;
  /** Throws `forbidden` where the person may not read what was written in a channel before. */
  demandHistory(channel: Channel): Promise<void>;
  /** True where the platform knows a channel and shows it to the person. */
  shows(channel: Channel): Promise<boolean>;
  /** True where everybody in its space sees a channel, as far as the platform tells. */
  isOpen(channel: Channel): Promise<boolean>;
  /** Filters out the things whose channel the person may not see. */
  seen<Thing>(things: readonly Thing[], channelOf: (thing: Thing) => Channel): Promise<Thing[]>;
}

export const createChannelAccess = (
  {
    access = async () => 'write',
    readsHistory,
    feed,
  }: Pick<Platform, 'access' | 'readsHistory' | 'feed'>,
  member: Member,
): ChannelAccess => {
  const demand: ChannelAccess['demand'] = async (channels, needed) => {
    const found = await Promise.all(channels.map((channel) => access(member, channel)));
    for (const [index, channel] of channels.entries()) {
      const shown = { channel: channelMention(channel) };
      if (found[index] === 'none') throw userError('forbidden', 'errors.channel-unseen', shown);
      if (found[index] === 'see' && needed === 'write')
        throw userError('forbidden', 'errors.channel-not-writable', shown);
    }
  };
  return {
    demand,
    demandHistory: async (channel) => {
      await demand([channel], 'see');
      if ((await readsHistory?.(member, channel)) === false)
        throw userError('forbidden', 'errors.channel-history', {
          channel: channelMention(channel),
        });
    },
    shows: async (channel) => ['see', 'write'].includes((await access(member, channel)) ?? 'none'),
    isOpen: async (channel) => (await feed?.isPrivate?.(channel).catch(() => true)) === false,
    seen: async (things, channelOf) => {
      const found = await Promise.all(things.map((thing) => access(member, channelOf(thing))));
      return things.filter((_, index) => found[index] !== 'none');
    },
  };
};
