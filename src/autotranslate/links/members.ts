import { userError } from '../../errors.ts';
import { channelKey, keyOf, type Channel, type Space } from '../../model/place.ts';
import {
  isHeld,
  isMuted,
  isPaused,
  isUnagreed,
  type ChannelWatch,
  type WatchChoices,
} from '../../model/space.ts';
import type { LinkMember, WatchState } from '../../model/watches.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import { createLinkHosts } from './hosts.ts';
import { nameElsewhere, spaceElsewhere } from './names.ts';
import type { createLinkNotices } from './notices.ts';
import { isWatchOf, type createPartings } from './partings.ts';
import type { createLinkPolicies } from './policy.ts';
import type { OwnWatches } from '../watches.ts';
import type { WatchedPlatforms } from '../watched-platforms.ts';

const channelsOf = (watches: readonly ChannelWatch[]): Channel[] =>
  watches.map(({ channel }) => channel);

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
  /** Takes channels out of their group in the name of a space, and tells all of the group. */
  readonly takeOut: (channels: readonly [Channel, ...Channel[]], by: Space) => Promise<void>;
  /** Throws `rate-limited` where a space has others told of too much. */
  readonly demandSeldom: (space: Space) => Promise<void>;
  readonly policies: Pick<ReturnType<typeof createLinkPolicies>, 'demand'>;
  readonly own: Pick<OwnWatches, 'update' | 'demand' | 'isLost'>;
  readonly tellLinks: ReturnType<typeof createLinkNotices>['tellLinks'];
  readonly tellGroup: ReturnType<typeof createPartings>['tellGroup'];
}

const isOf =
  (space: Space) =>
  ({ channel }: ChannelWatch): boolean =>
    keyOf(channel.space) === keyOf(space);

const heldBy = (
  { channel }: ChannelWatch,
  group: readonly ChannelWatch[],
  here: Space,
): LinkMember['held'] => {
  if (isHeld(channel, group.filter(isOf(here)))) return 'here';
  return isHeld(channel, group) ? 'elsewhere' : undefined;
};

const unagreedOf = (
  here: ChannelWatch,
  there: ChannelWatch,
  group: readonly ChannelWatch[],
): LinkMember['unagreed'] => {
  if (isUnagreed(there.channel, here.channel, group)) return 'here';
  return isUnagreed(here.channel, there.channel, group) ? 'elsewhere' : undefined;
};

/** Lets the moderators of a channel decide about channels of other spaces that are linked with it. */
export const createLinkMembers = (deps: LinkMembersDeps) => {
  const { watches, platforms, linkedWith, update } = deps;
  const hosts = createLinkHosts(watches);

  /** A channel's watch, and that of the linked channel that has this key. Throws `not-found` where none has it any more. */
  const memberOf = (channel: Channel, key: string) => {
    const watch = watches.of(channel);
    const found = (watch ? linkedWith(watch) : []).find((each) => channelKey(each.channel) === key);
    if (!watch || !found) throw userError('not-found', 'members.gone');
    return { watch, found };
  };

  const wasBefore = (watch: ChannelWatch, { channel: { space } }: ChannelWatch): boolean =>
    hosts.wasBefore(watch.channel.space, space, watches.group(watch));

  /** Finds as `memberOf` does. Throws `forbidden`, too, where a space may not decide about the other one for all. */
  const removableOf = (channel: Channel, key: string) => {
    const both = memberOf(channel, key);
    if (!wasBefore(both.watch, both.found)) throw userError('forbidden', 'members.not-removable');
    return both;
  };

  /** Begins or ends the pause of a linked channel among the choices of one here. */
  const setPause = async (
    channel: Channel,
    name: 'muted' | 'held',
    key: string,
    isPausing: boolean,
  ): Promise<void> => {
    await update(channel, (watch) => {
      const before: WatchChoices['muted'] = watch.choices?.[name] ?? {};
      const last = before[key];
      if ((last !== undefined && last.untilMs === undefined) === isPausing) return watch;
      const atMs = deps.now();
      const pause = isPausing ? { fromMs: atMs } : { fromMs: last?.fromMs ?? atMs, untilMs: atMs };
      return { ...watch, choices: { ...watch.choices, [name]: { ...before, [key]: pause } } };
    });
  };

  const serverOf = async (
    { channel: { space } }: ChannelWatch,
    group: readonly ChannelWatch[],
  ): Promise<LinkMember['server']> => {
    const channels = group.filter(isOf(space)).length;
    return channels > 1 ? { name: await spaceElsewhere(space, platforms), channels } : undefined;
  };

  return {
    state: async (watch: ChannelWatch): Promise<WatchState> => {
      const group = watches.group(watch);
      const others = watch.mode === 'mirror' ? linkedWith(watch) : [];
      const lost = await Promise.all([watch, ...others].map(deps.own.isLost));
      const [isLost = false, ...elsewhere] = lost;
      const paused = others.filter((each) => isPaused(each) || isHeld(each.channel, group));
      return {
        isLost,
        isHeld: isHeld(watch.channel, group),
        elsewhere: { lost: elsewhere.filter(Boolean).length, paused: paused.length },
      };
    },
    members: async (watch: ChannelWatch): Promise<readonly LinkMember[]> => {
      const group = watches.group(watch);
      const { space } = watch.channel;
      return Promise.all(
        linkedWith(watch).map(async (each) => ({
          key: channelKey(each.channel),
          platform: each.channel.space.platform,
          name: await nameElsewhere(each.channel, platforms),
          languages: each.languages,
          isMuted: isMuted(watch, each.channel),
          held: heldBy(each, group, space),
          holds: isHeld(watch.channel, [each]),
          isPaused: isPaused(each),
          isLost: await deps.own.isLost(each),
          unagreed: unagreedOf(watch, each, group),
          mayRemove: wasBefore(watch, each),
          server: await serverOf(each, group),
        })),
      );
    },
    mute: async (channel: Channel, key: string, isMuting: boolean): Promise<void> => {
      memberOf(channel, key);
      await setPause(channel, 'muted', key, isMuting);
    },
    agree: async (channel: Channel, key: string): Promise<readonly string[]> => {
      const { watch, found } = memberOf(channel, key);
      const { space } = watch.channel;
      await deps.own.demand([watch, found], space);
      const isThere = isOf(found.channel.space);
      const sharing = watches.group(watch).filter((each) => isOf(space)(each) || isThere(each));
      await deps.policies.demand(sharing, space);
      const changed = await deps.own.update(watch.channel, (current) => {
        const group = current.find(isWatchOf(watch.channel))?.group;
        return current.flatMap((each) => {
          const isAsking = group !== undefined && each.group === group && isThere(each);
          if (!isAsking || !isUnagreed(each.channel, watch.channel, [each])) return [];
          const agreed = { [keyOf(space)]: { fromMs: 0, untilMs: deps.now() } };
          const unagreed = { ...each.choices?.unagreed, ...agreed };
          return [{ ...each, choices: { ...each.choices, unagreed } }];
        });
      });
      if (changed.length === 0) return [];
      const group = watches.group(watch);
      const [ours, theirs] = [group.filter(isOf(space)), group.filter(isThere)];
      void deps.tellLinks(ours, 'autotranslate.linked-here', channelsOf(theirs));
      void deps.tellLinks(theirs, 'autotranslate.linked-here', channelsOf(ours));
      return Promise.all(changed.map(async (each) => nameElsewhere(each.channel, platforms)));
    },
    hold: async (channel: Channel, key: string, isHolding: boolean): Promise<void> => {
      // Whoever began a pause may end it, also where the channel by which they were first has left since.
      const { watch, found } = (isHolding ? removableOf : memberOf)(channel, key);
      const { space } = watch.channel;
      const group = watches.group(watch);
      if ((heldBy(found, group, space) === 'here') === isHolding) return;
      // Each end follows a beginning that was counted, and frees the other server.
      if (isHolding) await deps.demandSeldom(space);
      // Any of the own channels may have begun it.
      const own = isHolding ? [watch] : group.filter(isOf(space));
      for (const each of own) await setPause(each.channel, 'held', key, isHolding);
      const now = watches.group(watch);
      const others = isHeld(found.channel, now) ? 'others' : undefined;
      const why = now.some((each) => isPaused(each) && isWatchOf(found.channel)(each))
        ? 'own'
        : others;
      const what = isHolding ? 'held' : 'unheld';
      await deps.tellGroup(group, [found.channel], what, space, isHolding ? undefined : why);
    },
    expel: async (channel: Channel, key: string, isWhole = false): Promise<void> => {
      const { watch, found } = removableOf(channel, key);
      const { space } = found.channel;
      const gone = isWhole ? linkedWith(watch).filter(isOf(space)) : [];
      const others = gone.filter((each) => each !== found).map((each) => each.channel);
      await deps.takeOut([found.channel, ...others], channel.space);
    },
  };
};
