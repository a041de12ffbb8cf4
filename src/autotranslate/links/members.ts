import { userError } from '../../errors.ts';
import { channelKey, type Channel, type Space } from '../../model/place.ts';
import { isMuted, type ChannelWatch, type LinkMember } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { createLinkHosts } from './hosts.ts';
import { nameElsewhere } from './names.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface LinkMembersDeps {
  readonly watches: Pick<WatchStore, 'of' | 'group' | 'joinedMs'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly now: () => number;
  /** Lists the channels of other spaces that are linked with a channel. */
  readonly linkedWith: (watch: ChannelWatch) => readonly ChannelWatch[];
  readonly update: (
    channel: Channel,
    how: (watch: ChannelWatch) => ChannelWatch,
  ) => Promise<ChannelWatch | undefined>;
  /** Takes a channel out of its group in the name of a space, and tells all of the group. */
  readonly takeOut: (channel: Channel, by: Space) => Promise<void>;
}

/** Lets the moderators of a channel decide about channels of other spaces that are linked with it. */
export const createLinkMembers = (deps: LinkMembersDeps) => {
  const { watches, platforms, linkedWith, update } = deps;

  /** The linked channel that has this key. Throws `not-found` where none has it any more. */
  const memberOf = (channel: Channel, key: string): ChannelWatch => {
    const watch = watches.of(channel);
    const found = (watch ? linkedWith(watch) : []).find((each) => channelKey(each.channel) === key);
    if (!found) throw userError('not-found', 'members.gone');
    return found;
  };

  const hosts = createLinkHosts(watches);
  const wasBefore = (watch: ChannelWatch, { channel: { space } }: ChannelWatch): boolean =>
    hosts.wasBefore(watch.channel.space, space, watches.group(watch));

  return {
    members: async (watch: ChannelWatch): Promise<readonly LinkMember[]> =>
      Promise.all(
        linkedWith(watch).map(async (each) => ({
          key: channelKey(each.channel),
          platform: each.channel.space.platform,
          name: await nameElsewhere(each.channel, platforms),
          isMuted: isMuted(watch, each.channel),
          mayRemove: wasBefore(watch, each),
        })),
      ),
    mute: async (channel: Channel, key: string, isMuting: boolean): Promise<void> => {
      const { channel: muted } = memberOf(channel, key);
      await update(channel, (watch) => {
        if (isMuted(watch, muted) === isMuting) return watch;
        const atMs = deps.now();
        const before = watch.choices?.muted ?? {};
        const { fromMs = atMs } = before[key] ?? {};
        const mute = isMuting ? { fromMs: atMs } : { fromMs, untilMs: atMs };
        return { ...watch, choices: { ...watch.choices, muted: { ...before, [key]: mute } } };
      });
    },
    expel: async (channel: Channel, key: string): Promise<void> => {
      const gone = memberOf(channel, key);
      const watch = watches.of(channel);
      if (!watch || !wasBefore(watch, gone)) throw userError('forbidden', 'members.not-removable');
      await deps.takeOut(gone.channel, channel.space);
    },
  };
};
