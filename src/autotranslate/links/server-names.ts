import { keyOf, type Space } from '../../model/place.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { skeletonOf } from '../../text/skeleton.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';
import { spaceElsewhere, spaceName } from './names.ts';

export interface ServerNamesDeps {
  readonly watches: Pick<WatchStore, 'list' | 'group'>;
  readonly platforms: Pick<WatchedPlatforms, 'find'>;
  readonly moderators: Pick<ModeratorNotices, 'renamed'>;
}

/** Creates what tells of the names of servers and workspaces that are linked, which anybody may give to their own. */
export const createLinkedServerNames = ({ watches, platforms, moderators }: ServerNamesDeps) => {
  /** The spaces that are linked with a space, and itself. */
  const around = (space: Space): readonly Space[] => {
    const linked = watches.list(space).flatMap((watch) => watches.group(watch));
    return [
      ...new Map(
        [space, ...linked.map(({ channel }) => channel.space)].map((one) => [keyOf(one), one]),
      ).values(),
    ];
  };

  /**
   * Finds a space that is linked with another one, or this one itself, whose name looks like that of a space; resolves with
   * its name, and with undefined for none.
   *
   * @param name of the space. Default: as its platform knows it
   */
  const lookalike = async (space: Space, of: Space, name?: string): Promise<string | undefined> => {
    const looks = skeletonOf(name ?? (await spaceName(space, platforms)) ?? '');
    if (looks === '') return undefined;
    for (const one of around(of))
      if (
        keyOf(one) !== keyOf(space) &&
        skeletonOf((await spaceName(one, platforms)) ?? '') === looks
      )
        return spaceElsewhere(one, platforms);
    return undefined;
  };

  return {
    lookalike,
    neighbours: async (space: Space): Promise<ReadonlyMap<string, string>> =>
      new Map(
        await Promise.all(
          around(space)
            .slice(1)
            .map(async (one) => [one.id, await spaceElsewhere(one, platforms)] as const),
        ),
      ),
    /** Learns the name of a space that is linked, by which others are told of it once it is gone. */
    learnName: (space: Space): void => {
      if (watches.list(space).some(({ mode }) => mode === 'mirror'))
        void spaceElsewhere(space, platforms);
    },
    /** Forgets the names of a space and of its channels, once none is watched. */
    forgetNames: (space: Space): void => {
      const names = platforms.find({ space })?.lastNames;
      for (const [key] of watches.list(space).length > 0 ? [] : (names ?? []))
        if (`${key}/`.startsWith(`${keyOf(space)}/`)) names?.delete(key);
    },
    /** Tells the moderators of the spaces that are linked with a space of its new name. */
    renamed: async (space: Space, former: string, name: string): Promise<void> => {
      for (const other of around(space).slice(1))
        moderators.renamed(
          other,
          { former: quotedWords(former), name: quotedWords(name) },
          await lookalike(space, other, name),
        );
    },
  };
};
