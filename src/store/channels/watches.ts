import { setImmediate } from 'node:timers/promises';
import type { Transaction } from 'kysely';
import { channelAround, channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import { isShut, type ChannelWatch, type WatchChoices } from '../../model/space.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { currentActor, type Actor } from '../actor.ts';
import { noteChange } from '../audit.ts';
import type { Store } from '../index.ts';
import type { Schema } from '../schema.ts';
import { bringBackRules } from './kept-rules.ts';
import { createKnownWatches } from './known-watches.ts';
import {
  dropChoices,
  groupsIn,
  putAll,
  readWatches,
  takeLone,
  writeWatches,
  type WatchesById,
} from './watch-rows.ts';
import { putUndo } from './watch-undos.ts';

/** Names a channel, or a space, for people of other spaces. */
type NameElsewhere<Named> = (named: Named) => Promise<string>;

/** Claims a change within its transaction, by what is stored. */
export type Claim = (db: Transaction<Schema>, current: readonly ChannelWatch[]) => Promise<void>;

const currentIn = (watches: WatchesById): readonly ChannelWatch[] =>
  [...watches.values()].map(({ watch }) => watch);

const lasts = (pauses: WatchChoices['muted'], id: string): boolean =>
  pauses?.[id] !== undefined && pauses[id].untilMs === undefined;

/** Watches with those of each group. */
const stateOf = (watches: WatchesById) => ({ watches, groups: groupsIn(watches) });
type WatchesState = ReturnType<typeof stateOf>;

/**
 * A watch as its changes are noted: in place of its group the channels that it is linked with, those of its own space by
 * their ids, all others by their names, because no id of them may outlast their space.
 */
const notedOf = (
  { watches, groups }: WatchesState,
  key: string,
  names: ReadonlyMap<string, string>,
) => {
  const watch = watches.get(key)?.watch;
  if (!watch) return undefined;
  const { channel: own, group, choices, ...values } = watch;
  const { muted, held, unagreed: _, ...chosen } = choices ?? {};
  const isOwn = ({ space }: Channel): boolean => keyOf(space) === keyOf(own.space);
  const named = (of: readonly Channel[]): string[] =>
    of.map((each) => names.get(channelKey(each)) ?? each.space.platform).toSorted();
  const pausedIn = (pauses: WatchChoices['muted']): Channel[] =>
    Object.keys(pauses ?? {}).flatMap((id) =>
      lasts(pauses, id) ? (watches.get(id)?.watch.channel ?? []) : [],
    );
  const silent = pausedIn(muted);
  const pausing = pausedIn(held);
  const linked = (groups.get(group) ?? []).filter((one) => one !== watch);
  const others = linked.map(({ channel }) => channel);
  const holding = linked.filter((one) => lasts(one.choices?.held, key));
  const unagreed = others.filter((each) => isShut(each, own, [watch, ...linked]));
  return {
    ...values,
    ...(Object.keys(chosen).length > 0 && { choices: chosen }),
    ...(group !== undefined && {
      linkedWith: others
        .filter(isOwn)
        .map(({ id }) => id)
        .toSorted(),
      linkedElsewhere: named(others.filter((each) => !isOwn(each))),
    }),
    ...(silent.length > 0 && { muted: named(silent) }),
    ...(pausing.length > 0 && { held: named(pausing) }),
    ...(unagreed.length > 0 && { unagreed: named(unagreed) }),
    ...(holding.length > 0 && { heldBy: named(holding.map(({ channel }) => channel)) }),
  };
};

/** True where a watch is, or was, in one group with channels of a space: others are not told of it. */
const knows = (key: string, { space }: Actor, ...states: readonly WatchesState[]): boolean =>
  states.some(({ watches, groups }) =>
    groups
      .get(watches.get(key)?.watch.group)
      ?.some(({ channel }) => keyOf(channel.space) === keyOf(space)),
  );

/** The former watches of a person's space that ended, or whose rules did. */
const endedIn = (
  from: WatchesById,
  to: WatchesById,
  { space, undo }: Actor,
): readonly ChannelWatch[] =>
  [...from].flatMap(([key, old]) => {
    const hasEnded = undo?.isOfRules ? to.get(key) !== old : !to.has(key);
    return hasEnded && keyOf(old.watch.channel.space) === keyOf(space) ? [old.watch] : [];
  });

/**
 * Notes what became of watches, also of those that others were linked with, and what sets them back.
 *
 * @param elsewhere the name of the space of the person at work, for the others that are linked with it
 */
const noteWatches = async (
  db: Transaction<Schema>,
  by: Actor | undefined,
  from: WatchesById,
  to: WatchesById,
  names: ReadonlyMap<string, string>,
  elsewhere: string | undefined,
): Promise<void> => {
  const ended = by?.undo ? endedIn(from, to, by) : [];
  const [first] = ended;
  if (by?.undo) await putUndo(db, by.space, by.undo, ended);
  const [former, next] = [stateOf(from), stateOf(to)];
  for (const key of new Set([...from.keys(), ...to.keys()])) {
    await setImmediate();
    const channel = (to.get(key) ?? from.get(key))?.watch.channel;
    const [before, after] = [notedOf(former, key, names), notedOf(next, key, names)];
    if (channel)
      await noteChange(db, channel.space, by, {
        id: first && key === channelKey(first.channel) ? by?.undo?.id : undefined,
        what: 'watch',
        channelId: channel.id,
        elsewhere: by && elsewhere && knows(key, by, former, next) ? elsewhere : undefined,
        before,
        after,
      });
  }
};

/**
 * Opens the watches and holds all of them in memory, because each message looks its channel up.
 *
 * @param nameElsewhere names channels where links with them are noted. Default: by their platform
 * @param nameSpace names the space of a person where what they change elsewhere is noted. Default: by its platform
 */
export const openWatchStore = async (
  store: Store,
  now: () => number,
  nameElsewhere: NameElsewhere<Channel> = async ({ space: { platform } }) => platform,
  nameSpace: NameElsewhere<Space> = async ({ platform }) => platform,
) => {
  const known = createKnownWatches();
  const { inGroup } = known;
  const turns = createKeyedMutex();
  /** Reads what changes of spaces' watches may have touched, at once. Default: all */
  const load = async (spacesOf?: () => readonly Space[]): Promise<void> => {
    using _ = await turns.take('load');
    const spaces = spacesOf?.();
    const around = spaces ? spaces.flatMap(known.around) : known.all();
    const channels = around.map(({ channel }) => channel);
    const found = await readWatches(store, spaces && { spaces });
    // Those of other spaces that left these groups are watched still.
    const others = channels.filter((each) => spaces && !found.has(channelKey(each)));
    const left = await readWatches(store, { channels: others });
    known.take(channels, new Map([...found, ...left]));
  };
  /** The spaces of the read that has not begun: whoever asks by then shares it. */
  const asking = new Map<string, Space>();
  let coming: Promise<void> | undefined;
  const loadAround = (space: Space): Promise<void> => {
    asking.set(keyOf(space), space);
    coming ??= load(() => {
      coming = undefined;
      const spaces = [...asking.values()];
      asking.clear();
      return spaces;
    });
    return coming;
  };
  store.signals.subscribe('watches', (space) => (space ? loadAround(space) : load()));
  await load();

  /** The names of the channels whose links a change of channels, or of groups, may touch; none within one space. */
  const namesAround = async (
    channels: readonly Channel[],
    asked: readonly ChannelWatch[],
  ): Promise<ReadonlyMap<string, string>> => {
    const of = [...asked, ...channels.flatMap((each) => known.get(each)?.watch ?? [])];
    const linked = of.flatMap(({ group }) => inGroup(group).map(({ channel }) => channel));
    const around = new Map([...channels, ...linked].map((each) => [channelKey(each), each]));
    if (new Set([...around.values()].map(({ space }) => keyOf(space))).size < 2) return new Map();
    return new Map(
      await Promise.all(
        [...around].map(async ([key, each]) => [key, await nameElsewhere(each)] as const),
      ),
    );
  };

  /** Changes the stored watches of channels, one change at a time; resolves when the change is in memory. */
  const change = async (
    work: (next: WatchesById) => readonly Channel[],
    channels: readonly Channel[],
    asked: readonly ChannelWatch[] = [],
    claim?: Claim,
  ): Promise<readonly Channel[]> => {
    if (channels.length === 0) return [];
    const by = currentActor();
    const names = await namesAround(channels, asked);
    const elsewhere = by && names.size > 0 ? await nameSpace(by.space) : undefined;
    const joined = asked.flatMap(({ group }) => group ?? []);
    return store.write(async (db) => {
      const told = new Set<string>();
      const tell = async ({ space }: Channel): Promise<void> => {
        if (!told.has(keyOf(space))) await store.signals.publish(db, 'watches', space);
        told.add(keyOf(space));
      };
      // Published first, so that what is read is what others made of it.
      for (const channel of channels) await tell(channel);
      const before = await readWatches(db, { channels, groups: joined });
      const next = new Map(before);
      await claim?.(db, currentIn(next));
      const gone = work(next);
      dropChoices(next);
      await bringBackRules(db, before, next);
      await writeWatches(db, before, next);
      for (const [key, { watch }] of [...before, ...next])
        if (before.get(key) !== next.get(key)) await tell(watch.channel);
      await noteWatches(db, by, before, next, names, elsewhere);
      return gone;
    });
  };

  /** Finds the watch of this channel id; undefined when it belongs to another space. */
  const exact = ({ space }: Channel, id: string): ChannelWatch | undefined => {
    const watch = known.get({ space, id })?.watch;
    return watch?.channel.space.id === space.id ? watch : undefined;
  };

  return {
    /**
     * Reads a space's watches anew while changes of other processes may be missed, and those of their groups; before what is
     * known is relied on.
     */
    refresh: async (space: Space): Promise<void> => {
      if (!store.signals.isCurrent('watches')) await loadAround(space);
    },
    /** The watch under which the messages of a channel are taken: of a thread its own, or that of its channel. */
    of: (channel: Channel): ChannelWatch | undefined => {
      const own = exact(channel, channel.id);
      if (own || channel.parentId === undefined) return own;
      const above = exact(channel, channel.parentId);
      return above && above.mode !== 'thread' ? { ...above, channel } : undefined;
    },
    /** The space that the watch of a channel belongs to, whichever space the channel is seen from. */
    holder: (channel: Channel): Space | undefined => known.get(channel)?.watch.channel.space,
    /** True when the channel itself is watched, not only the channel of its thread. */
    isOwn: (channel: Channel): boolean => exact(channel, channel.id) !== undefined,
    /** The watch of the channel with a key. */
    withKey: known.withKey,
    list: known.list,
    /** Lists the channels whose messages are mirrored into each other with this one, itself included. */
    group: ({ group }: ChannelWatch): readonly ChannelWatch[] => inGroup(group),
    inGroup,
    /**
     * Sets watches; choices that are not given stay as they were. Resolves with the channels that remained alone in their
     * group and so are no longer watched.
     *
     * @param sinceMs time of the request, ms since 1970
     * @param claim runs first in the same transaction, with the watches of these channels and their groups as they are
     * stored: nothing is set where it rejects
     */
    set: (
      changed: readonly ChannelWatch[],
      sinceMs = now(),
      claim?: Claim,
    ): Promise<readonly Channel[]> =>
      change(
        (next) => putAll(next, changed, sinceMs),
        changed.map(({ channel }) => channel),
        changed,
        claim,
      ),
    /**
     * Changes watches as they are stored at this moment. Resolves as `set` does.
     *
     * @param channel of the space whose watches may change; the groups that it may come into have a channel there
     * @param how gets at least the watches of the channel and of the groups that it is in or comes into, and gives those
     * that change
     */
    update: async (
      channel: Channel,
      how: (current: readonly ChannelWatch[]) => readonly ChannelWatch[],
    ): Promise<readonly Channel[]> =>
      change(
        (next) => putAll(next, how(currentIn(next)), now()),
        [channel],
        how(known.around(channel.space)),
      ),
    /**
     * Removes watches. Resolves with these channels and those that remained alone in their group.
     *
     * @param group the one that channels have to be in; those that left it meanwhile stay. Default: any
     */
    remove: (channels: readonly Channel[], group?: string): Promise<readonly Channel[]> =>
      change((next) => {
        const of = channels.map((channel) => [channel, next.get(channelKey(channel))] as const);
        const ended = of.filter(([, old]) => group === undefined || old?.watch.group === group);
        for (const [channel] of ended) next.delete(channelKey(channel));
        const lone = takeLone(
          next,
          ended.map(([, old]) => old?.watch.group),
        );
        return [...ended.map(([channel]) => channel), ...lone];
      }, channels),
    /** Time since which a channel is in its group, ms since 1970. */
    joinedMs: ({ channel }: ChannelWatch): number =>
      [channel, channelAround(channel)]
        .map((one) => known.get(one)?.joinedMs)
        .find((ms) => ms !== undefined) ?? Infinity,
    /** Time since which messages are translated into all languages of a watch in its mode, ms since 1970. */
    languagesMs: ({ channel }: ChannelWatch): number => known.get(channel)?.languagesMs ?? now(),
    /** Time since which messages are taken under a watch, ms since 1970. */
    sinceMs: ({ channel }: ChannelWatch): number => {
      const own = known.get(channel);
      if (own) return own.sinceMs;
      const above = known.get(channelAround(channel));
      if (above?.watch.mode !== 'mirror') return above?.sinceMs ?? now();
      return Math.max(above.sinceMs, above.threadsSinceMs);
    },
  };
};

export type WatchStore = Awaited<ReturnType<typeof openWatchStore>>;
