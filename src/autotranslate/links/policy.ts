import { userError } from '../../errors.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { ChannelWatch, LinkPolicy } from '../../model/space.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

export interface LinkPoliciesDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
}

/** True where a space lets its channels be linked with those of others. */
const allows = ({ outside, approved }: LinkPolicy, others: readonly Space[]): boolean =>
  outside === 'everybody' ||
  (outside === 'approved' && others.every(({ id }) => approved.includes(id)));

/** Creates the checks of what the policies of spaces allow to be linked. */
export const createLinkPolicies = ({ spaces, platforms }: LinkPoliciesDeps) => {
  const isAllowed = async (
    { channel }: ChannelWatch,
    others: readonly Space[],
  ): Promise<boolean> => {
    const { links } = await spaces.of(channel.space);
    if (!links) return true;
    if (!allows(links, others)) return false;
    const ids = [channel.id, channel.parentId];
    if (links.channels.length > 0 && !ids.some((id) => id && links.channels.includes(id)))
      return false;
    if (links.privateChannels) return true;
    return !(await platforms.find(channel)?.feed.isPrivate?.(channel));
  };

  return {
    /**
     * Throws `forbidden` where the policy of a space does not let its channels be linked with the others of a group. What
     * is linked already stays.
     *
     * @param space the one whose people read of it
     */
    demand: async (group: readonly ChannelWatch[], space: Space): Promise<void> => {
      const all = group.map(({ channel }) => channel.space);
      for (const watch of group) {
        const own = keyOf(watch.channel.space);
        const others = all.filter((each) => keyOf(each) !== own);
        if (others.length > 0 && !(await isAllowed(watch, others)))
          throw userError(
            'forbidden',
            own === keyOf(space) ? 'links.not-allowed' : 'links.not-allowed-there',
          );
      }
    },
    /** Throws as `demand` does where a channel may be linked with no other space at all. */
    demandAny: async (watch: ChannelWatch): Promise<void> => {
      if (!(await isAllowed(watch, []))) throw userError('forbidden', 'links.not-allowed');
    },
  };
};
