import { channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { byAge, type StoredWatch, type WatchesById } from './watch-rows.ts';

type Lists = Map<string, readonly StoredWatch[]>;

const spaceOf = ({ watch }: StoredWatch): string => keyOf(watch.channel.space);
const groupOf = ({ watch }: StoredWatch): string | undefined => watch.group;

/** Puts watches in place of others in their lists, each in the order in which they were set. */
const replace = (
  lists: Lists,
  nameOf: (stored: StoredWatch) => string | undefined,
  gone: ReadonlySet<StoredWatch>,
  found: Iterable<StoredWatch>,
): void => {
  const added = Map.groupBy(found, nameOf);
  for (const name of new Set([...[...gone].map(nameOf), ...added.keys()])) {
    if (name === undefined) continue;
    const kept = (lists.get(name) ?? []).filter((each) => !gone.has(each));
    const list = [...kept, ...(added.get(name) ?? [])].toSorted(byAge);
    if (list.length > 0) lists.set(name, list);
    else lists.delete(name);
  }
};

const watchesOf = (list: readonly StoredWatch[] = []): readonly ChannelWatch[] =>
  list.map(({ watch }) => watch);

/** Creates the watches that a process knows, by their channels, groups and spaces. */
export const createKnownWatches = () => {
  const byKey: WatchesById = new Map();
  const groups: Lists = new Map();
  const spaces: Lists = new Map();

  const inGroup = (group: string | undefined): readonly ChannelWatch[] =>
    group === undefined ? [] : watchesOf(groups.get(group));
  const list = (space: Space): readonly ChannelWatch[] => watchesOf(spaces.get(keyOf(space)));

  return {
    get: ({ space, id }: Pick<Channel, 'space' | 'id'>): StoredWatch | undefined =>
      byKey.get(channelKey({ space, id })),
    withKey: (key: string): ChannelWatch | undefined => byKey.get(key)?.watch,
    all: (): readonly ChannelWatch[] => watchesOf([...byKey.values()]),
    list,
    inGroup,
    /** The watches that a change of a space's watches may touch: its own, and those of their groups. */
    around: (space: Space): readonly ChannelWatch[] => {
      const own = list(space);
      const linked = [...new Set(own.map(({ group }) => group))].flatMap(inGroup);
      return [...new Set([...own, ...linked])];
    },
    /** Takes watches as they are stored; those of the other channels are gone. */
    take: (channels: readonly Channel[], found: WatchesById): void => {
      const keys = new Set([...channels.map(channelKey), ...found.keys()]);
      const gone = new Set([...keys].flatMap((key) => byKey.get(key) ?? []));
      for (const key of keys) if (!found.has(key)) byKey.delete(key);
      for (const [key, stored] of found) byKey.set(key, stored);
      replace(spaces, spaceOf, gone, found.values());
      replace(groups, groupOf, gone, found.values());
    },
  };
};
