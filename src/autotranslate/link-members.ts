import { userError } from '../errors.ts';
import { channelKey, isSameChannel, type Channel } from '../model/place.ts';
import { isMuted, type Changer, type ChannelWatch, type LinkMember } from '../model/space.ts';
import type { WatchStore } from '../store/channels/watches.ts';
import { nameElsewhere } from './link-names.ts';
import type { WatchedPlatforms } from './watched-platforms.ts';

export interface LinkMembersDeps {
  readonly watches: Pick<WatchStore, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly now: () => number;
  /** Lists the channels of other spaces that are linked with a channel. */
  readonly linkedWith: (watch: ChannelWatch) => readonly ChannelWatch[];
  readonly update: (
    channel: Channel,
    how: (watch: ChannelWatch) => ChannelWatch,
  ) => Promise<ChannelWatch | undefined>;
  readonly end: (channel: Channel, by: Changer) => Promise<boolean>;
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

  return {
    members: async (watch: ChannelWatch): Promise<readonly LinkMember[]> =>
      Promise.all(
        linkedWith(watch).map(async ({ channel }) => ({
          key: channelKey(channel),
          platform: channel.space.platform,
          name: await nameElsewhere(channel, platforms),
          isMuted: isMuted(watch, channel),
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
    expel: async (
      channel: Channel,
      key: string,
      { name }: Pick<Changer, 'name'>,
    ): Promise<void> => {
      const { channel: gone, languages } = memberOf(channel, key);
      if (isSameChannel(gone, channel)) return;
      await deps.end(gone, { name, locale: languages[0] ?? 'en' });
    },
  };
};
