import { userError, type AppError } from '../../errors.ts';
import { keyOf, type Space } from '../../model/place.ts';
import { OPEN_LINKS, type ChannelWatch, type LinkPolicy } from '../../model/space.ts';
import { code } from '../../rich-text/rich-text.ts';
import type { SpaceSettings } from '../../store/settings.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import type { createLinkedServerNames } from './server-names.ts';

export interface LinkPoliciesDeps {
  readonly spaces: Pick<SpaceSettings, 'of'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly moderators: Pick<ModeratorNotices, 'unapproved'>;
  readonly lookalike: ReturnType<typeof createLinkedServerNames>['lookalike'];
}

/** True where a space lets its channels be linked with those of others. */
const allows = ({ outside, approved }: LinkPolicy, others: readonly Space[]): boolean =>
  outside === 'everybody' ||
  (outside === 'approved' && others.every(({ id }) => approved.includes(id)));

/** Creates the checks of what the policies of spaces allow to be linked. */
export const createLinkPolicies = (deps: LinkPoliciesDeps) => {
  const { spaces, platforms } = deps;
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

  /**
   * The error for a link that a policy does not allow. Where the side that asks is not approved, it reads its own id, and the
   * moderators of the other side are told of it; their own people read the ids of those that they have not approved.
   */
  const refused = async (of: Space, others: readonly Space[], space: Space): Promise<AppError> => {
    const { outside, approved } = (await spaces.of(of)).links ?? OPEN_LINKS;
    const isOwn = keyOf(of) === keyOf(space);
    const unknown = (isOwn ? others : [space]).filter(({ id }) => !approved.includes(id));
    const key = isOwn ? 'links.not-allowed' : 'links.not-allowed-there';
    if (outside !== 'approved' || unknown.length === 0) return userError('forbidden', key);
    const ids = unknown.map(({ id }) => code(id));
    if (isOwn) return userError('forbidden', 'links.not-approved', { ids: { list: ids } });
    deps.moderators.unapproved(of, space, deps.lookalike(space, of));
    return userError('forbidden', 'links.not-approved-there', { ids: { list: ids } });
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
          throw await refused(watch.channel.space, others, space);
      }
    },
    /** Throws as `demand` does where a channel may be linked with no other space at all. */
    demandAny: async (watch: ChannelWatch): Promise<void> => {
      if (!(await isAllowed(watch, []))) throw userError('forbidden', 'links.not-allowed');
    },
  };
};
