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
    /** Throws `forbidden` where none of the spaces that decide about a further channel was in its group before all others. */
    demandHost: (spaces: readonly Space[], group: readonly ChannelWatch[]): void => {
      const isHost = (space: Space): boolean =>
        group
          .filter(({ channel }) => keyOf(channel.space) !== keyOf(space))
          .every(({ channel }) => wasBefore(space, channel.space, group));
      if (!spaces.some(isHost)) throw userError('forbidden', 'autotranslate.join-guest');
    },
  };
};
