import { userError } from '../../errors.ts';
import { keyOf, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { WatchStore } from '../../store/channels/watches.ts';

/** Creates what tells which space was in a group of linked channels first. */
export const createLinkHosts = (watches: Pick<WatchStore, 'joinedMs'>) => {
  /** The time at which the first of a space's channels joined, ms since 1970; infinite where none has. */
  const firstMs = (space: Space, group: readonly ChannelWatch[]): number =>
    Math.min(
      ...group
        .filter(({ channel }) => keyOf(channel.space) === keyOf(space))
        .map((each) => watches.joinedMs(each)),
    );
  const wasBefore = (space: Space, other: Space, group: readonly ChannelWatch[]): boolean =>
    firstMs(space, group) < firstMs(other, group);

  return {
    wasBefore,
    /** Throws `forbidden` where a space has more of its channels in a group without having been there before all others. */
    demandHost: (space: Space, group: readonly ChannelWatch[]): void => {
      const others = group.filter(({ channel }) => keyOf(channel.space) !== keyOf(space));
      if (!others.every(({ channel }) => wasBefore(space, channel.space, group)))
        throw userError('forbidden', 'autotranslate.join-guest');
    },
  };
};
