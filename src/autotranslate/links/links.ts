import { isDeepStrictEqual } from 'node:util';
import { userError } from '../../errors.ts';
import {
  channelKey,
  channelMention,
  isSameChannel,
  keyOf,
  type Channel,
  type Space,
} from '../../model/place.ts';
import {
  isHeld,
  isPaused,
  MOST_CHANNELS,
  type Changer,
  type ChannelWatch,
} from '../../model/space.ts';
import type { LinkInvite, SetOptions } from '../../model/watches.ts';
import type { LinkAsker, LinkInvites } from '../../store/channels/link-invites.ts';
import type { Claim, WatchStore } from '../../store/channels/watches.ts';
import type { Store } from '../../store/index.ts';
import { slicesOf } from '../../store/rows.ts';
import type { InboxStore } from '../../store/inbox/index.ts';
import { createLinkPolicies, type LinkPoliciesDeps } from './policy.ts';
import { createLinkHosts } from './hosts.ts';
import { createLinkMembers } from './members.ts';
import { createLinkNotices, type LinkNoticesDeps } from './notices.ts';
import { createPartings, isWatchOf } from './partings.ts';
import { createToldChanges } from './told-changes.ts';
import { createLinkedServerNames } from './server-names.ts';
import type { ModeratorNotices } from '../moderators/notices.ts';
import { demandOpenHere } from './making.ts';
import { createLinkRequests, type LinkRequestsDeps } from './requests.ts';
import { NAMED_MS, within } from '../watched-platforms.ts';
import { demandSetup, joinMark, panelChanged } from '../replaced.ts';
import { lines } from '../../rich-text/compose.ts';
import { noticeLanguage } from '../rules.ts';
import { quotedWords } from '../../text/quoted-words.ts';
import { logFailure } from '../../telemetry/log.ts';
import type { Scheduler } from '../scheduler.ts';
import type { OwnWatches } from '../watches.ts';

/** Pauses of a channel that are remembered beside the last one. */
const MOST_PAUSES = 20;

/** Watches of a space that is left that end in one transaction. */
const REMOVED_AT_ONCE = 50;

export interface LinksDeps
  extends
    Omit<
      LinkRequestsDeps,
      | 'own'
      | 'texts'
      | 'invites'
      | 'groupOf'
      | 'isRestricted'
      | 'tellLinks'
      | 'policies'
      | 'lookalike'
      | 'demandHost'
      | 'wasBefore'
    >,
    Omit<LinkNoticesDeps, 'platforms' | 'moderators'> {
  readonly moderators: Pick<
    ModeratorNotices,
    'linked' | 'renamed' | 'told' | 'pauseTold' | 'unapproved'
  >;
  readonly watches: Pick<WatchStore, 'of' | 'list' | 'group' | 'isOwn' | 'joinedMs' | 'remove'>;
  readonly own: Omit<OwnWatches, 'list' | 'missing' | 'drawback'>;
  readonly inbox: Pick<InboxStore, 'openIn'>;
  readonly invites: Pick<LinkInvites, 'make' | 'find' | 'take'>;
  readonly scheduler: Pick<Scheduler, 'interrupt' | 'wake'>;
  /** The parts that know something of spaces in memory. */
  readonly memories: readonly { readonly forgetSpace: (space: Space) => void }[];
  readonly spaces: LinkPoliciesDeps['spaces'];
  readonly now: () => number;
  readonly store: Pick<Store, 'write' | 'quota'>;
}

const isElsewhere = (here: Space, { channel: { space } }: ChannelWatch): boolean =>
  keyOf(space) !== keyOf(here);

const keysOf = (members: readonly ChannelWatch[]): string[] =>
  members.map(({ channel }) => channelKey(channel));

/** The channels of a group beside one that joins it; throws where it may not. */
const demandRoom = (
  other: Channel,
  joining: Channel,
  members: readonly ChannelWatch[],
): readonly ChannelWatch[] => {
  if (members.length === 0 || keyOf(joining.space) !== keyOf(other.space))
    throw userError('not-found', 'autotranslate.not-linked', { channel: channelMention(other) });
  const others = members.filter(({ channel }) => !isSameChannel(channel, joining));
  if (others.length >= MOST_CHANNELS)
    throw userError('bad-input', 'autotranslate.link-full', { most: MOST_CHANNELS });
  return others;
};

/** Links channels of different spaces and platforms: one side makes a code, the other one uses it. */
export const createLinks = (deps: LinksDeps) => {
  const { watches, own, inbox, invites, scheduler, memories, platforms, texts, tell } = deps;
  const notices = createLinkNotices(deps);
  const { tellLinks, tellJoined, tellOff, tellOn, offerFormer } = notices;
  const { lookalike, forgetNames, ...serverNames } = createLinkedServerNames(deps);
  const policies = createLinkPolicies({ ...deps, lookalike });
  const { demandHost, wasBefore } = createLinkHosts(watches);
  const { demandSeldom, isPauseTold } = createToldChanges(deps.store.quota);

  /** Lists the channels of other spaces that are linked with a channel. */
  const linkedWith = (watch: ChannelWatch): readonly ChannelWatch[] =>
    watches.group(watch).filter((each) => isElsewhere(watch.channel.space, each));

  /** Lists the channels that are linked with a channel, itself included; none where it is alone. */
  const groupOf = (channel: Channel): readonly ChannelWatch[] => {
    const watch = own.of(channel);
    return watch?.mode === 'mirror' ? watches.group(watch) : [];
  };

  const isRestricted = async ({ channel }: Pick<ChannelWatch, 'channel'>): Promise<boolean> =>
    (await platforms.find(channel)?.feed.isAgeRestricted?.(channel)) ?? false;

  /** True where some of these channels are age-restricted, and others are not. */
  const mixesAges = async (members: readonly ChannelWatch[]): Promise<boolean> =>
    new Set(await Promise.all(members.map(isRestricted))).size > 1;

  /** The own watches of channels before they are changed: a new thread's members were told nothing of its channel's. */
  const formerOf = (changed: readonly ChannelWatch[]): readonly ChannelWatch[] =>
    changed.flatMap(({ channel }) => watches.list(channel.space).filter(isWatchOf(channel)));

  const { parting, set, end, tellGroup, takeOut } = createPartings({
    ...deps,
    ...notices,
    groupOf,
  });

  /** Changes the watch of a channel as it is stored at this moment; undefined where there is none. */
  const update = async (
    channel: Channel,
    how: (watch: ChannelWatch) => ChannelWatch,
  ): Promise<ChannelWatch | undefined> => {
    const [changed] = await own.update(channel, (current) =>
      current.filter(isWatchOf(channel)).map((watch) => how(watch)),
    );
    return changed;
  };

  /** Tells channels of other spaces, and moderators, that one is paused by its own moderators, or is no longer. */
  const tellPause = async (
    watch: ChannelWatch,
    isPausing: boolean,
    key: 'paused-here' | 'paused-linked' | 'resumed-here',
    by?: Changer,
  ): Promise<void> => {
    const { channel } = watch;
    const others = linkedWith(watch);
    if (isHeld(channel, watches.group(watch))) return;
    await logFailure(deps.log, 'channels could not be told of a pause', async () => {
      if (others.length > 0 && !(await isPauseTold(channel, isPausing))) return;
      const said = by && {
        key: `autotranslate.${key}` as const,
        params: { name: quotedWords(by.name) },
      };
      if (said) deps.moderators.pauseTold(channel, said, channel, isPausing);
      void tellGroup(others, [channel], isPausing ? 'held' : 'unheld', channel.space);
    });
  };

  const { endOf, ...requested } = createLinkRequests({
    ...deps,
    policies,
    lookalike,
    demandHost,
    wasBefore,
    own: { ...own, set, list: watches.list },
    groupOf,
    isRestricted,
    tellLinks,
  });

  return {
    elsewhere: (watch: ChannelWatch): number => linkedWith(watch).length,
    mixesAges,
    isTalk: (channel: Channel): boolean => platforms.find(channel)?.feed.isTalk?.(channel) ?? false,
    /** @param claim see `WatchStore.set` */
    set: async (
      asked: readonly ChannelWatch[],
      { by, mayMixAges = false, seen }: SetOptions = {},
      claim: Claim = async (_, current) => {
        for (const { channel } of asked) demandSetup(channel, current, seen);
      },
    ): Promise<void> => {
      if (asked[0]?.mode === 'mirror' && !mayMixAges && (await mixesAges(asked)))
        throw userError('bad-input', 'autotranslate.age-restricted');
      let formerly: readonly ChannelWatch[] = [];
      const noted: Claim = async (db, current) => {
        await claim(db, current);
        // What ended while permissions were looked at is told anew what becomes of its messages.
        formerly = asked.flatMap(({ channel }) => current.filter(isWatchOf(channel)));
      };
      await set(asked, noted, by);
      if (!by) return;
      tellOn(asked, by, formerly);
      for (const [group, members] of Map.groupBy(asked, (each) => each.group)) {
        const joined = members
          .map(({ channel }) => channel)
          .filter((each) => formerly.find(isWatchOf(each))?.group !== group);
        const others = members.slice(0, 1).flatMap((each) => watches.group(each));
        const isAsked = ({ channel }: ChannelWatch): boolean => asked.some(isWatchOf(channel));
        if (joined.length > 0)
          tellJoined(
            others.filter((each) => !isAsked(each)),
            joined,
            by,
          );
      }
    },
    /** Makes a code by which a channel elsewhere can be linked with this one. */
    invite: async (
      watch: ChannelWatch,
      mayMixAges: boolean,
      by: LinkAsker,
    ): Promise<LinkInvite> => {
      await own.demand([watch]);
      await policies.demandAny(watch);
      demandHost([watch.channel.space], groupOf(watch.channel));
      return invites.make(watch, { known: keysOf(groupOf(watch.channel)), mayMixAges }, by);
    },
    change: async (
      channel: Channel,
      how: (watch: ChannelWatch) => ChannelWatch,
      by?: Changer,
    ): Promise<ChannelWatch | undefined> => {
      const now = watches.list(channel.space).find(isWatchOf(channel));
      if (!now) return undefined;
      const wanted = how(now);
      if (wanted.mode !== now.mode || wanted.below !== now.below) await own.demand([wanted]);
      const changed = await update(channel, how);
      if (changed && by && !isDeepStrictEqual(changed, now)) tellOn([changed], by, [now]);
      return changed;
    },
    pause: async (
      channel: Channel,
      isPausing: boolean,
      by?: Changer,
    ): Promise<ChannelWatch | undefined> => {
      let isNews = false;
      const changed = await update(channel, (watch) => {
        isNews = isPaused(watch) !== isPausing;
        if (!isNews) return watch;
        const atMs = deps.now();
        const { pause: last, pausesBefore = [] } = watch.choices ?? {};
        const former = last && { pausesBefore: [last, ...pausesBefore].slice(0, MOST_PAUSES) };
        const pauses = isPausing
          ? { pause: { fromMs: atMs }, ...former }
          : { pause: { fromMs: last?.fromMs ?? atMs, untilMs: atMs } };
        return { ...watch, choices: { ...watch.choices, ...pauses } };
      });
      if (!changed || !isNews) return changed;
      const paused = changed.mode === 'mirror' ? 'paused-linked' : 'paused-here';
      const key = isPausing ? paused : 'resumed-here';
      tellOff(changed, by, key);
      await tellPause(changed, isPausing, key, by);
      return changed;
    },
    join: async (
      asked: ChannelWatch,
      other: Channel,
      { by, mayMixAges = false, seen }: SetOptions = {},
    ): Promise<readonly ChannelWatch[]> => {
      const watch: ChannelWatch = {
        ...asked,
        channel: platforms.find(asked.channel)?.feed.resolve(asked.channel) ?? asked.channel,
        mode: 'mirror',
      };
      if (isSameChannel(watch.channel, other))
        throw userError('bad-input', 'autotranslate.join-itself');
      const known = demandRoom(other, watch.channel, groupOf(other));
      demandHost([watch.channel.space], known);
      if (!mayMixAges && (await mixesAges([...known, watch])))
        throw userError('bad-input', 'autotranslate.age-restricted');
      await demandOpenHere(watch, known, isRestricted);
      await policies.demand([...known, watch], watch.channel.space);
      await own.demand([watch, ...known.filter(isWatchOf(other))]);
      if (known.some((each) => isElsewhere(watch.channel.space, each)))
        await demandSeldom(watch.channel.space);
      const joining = (current: readonly ChannelWatch[]): readonly ChannelWatch[] => {
        const group = current.find(isWatchOf(other))?.group;
        const members = current.filter((each) => group !== undefined && each.group === group);
        demandRoom(other, watch.channel, members);
        const elsewhere = members.filter((each) => isElsewhere(watch.channel.space, each));
        const now = current.find(isWatchOf(watch.channel));
        if (seen !== undefined && seen !== joinMark(now, keysOf(elsewhere)))
          throw panelChanged(watch.channel);
        return group === undefined ? [] : [{ ...watch, group }];
      };
      const before = formerOf([watch]);
      const [joined] = await parting(
        [watch.channel],
        async () => own.update(watch.channel, joining),
        by,
      );
      const all = joined ? watches.group(joined) : [];
      if (joined && by) {
        const others = all.filter(({ channel }) => !isSameChannel(channel, watch.channel));
        const who = { asked: { name: by.name, space: watch.channel.space }, before };
        // Those who read it have to know of people elsewhere who will.
        if (others.some((each) => isElsewhere(watch.channel.space, each)))
          void tellLinks(
            [joined],
            'autotranslate.linked-here',
            others.map(({ channel }) => channel),
            who,
          );
        else tellOn([joined], by, before);
        tellJoined(all, [watch.channel], by);
      }
      return all;
    },
    ...requested,
    ...createLinkMembers({
      watches,
      platforms,
      now: deps.now,
      own,
      tellLinks,
      linkedWith,
      update,
      takeOut,
      tellGroup,
      demandSeldom,
      policies,
    }),
    remove: (channel: Channel, by?: Changer, all?: readonly ChannelWatch[]): Promise<boolean> =>
      end(channel, by, all?.[0]?.group, all),
    channelDeleted: async (channel: Channel): Promise<void> => {
      await parting([channel], async () => own.channelDeleted(channel), undefined, 'deleted');
      void endOf(channel.space, isWatchOf(channel));
    },
    ...serverNames,
    forgetNames,
    /** Ends the link of a channel that is shown to other people than those linked with it from now on. */
    ageRestrictionChanged: async (channel: Channel, isNow: boolean): Promise<void> => {
      const watch = watches.of(channel);
      if (!watch || !isSameChannel(watch.channel, channel)) return;
      const others = groupOf(channel).filter((each) => !isSameChannel(each.channel, channel));
      const restricted = await Promise.all(others.map(isRestricted));
      if (!restricted.includes(!isNow) || !(await end(channel, undefined, watch.group))) return;
      const key = isNow ? 'autotranslate.age-ended' : 'autotranslate.age-ended-open';
      const language = noticeLanguage(watch, await deps.spaces.of(channel.space));
      const t = texts.rich(language, platforms.find(channel)?.naming);
      const former = await offerFormer(channel, t, language);
      void tell(channel, lines(t(key), former?.text), former && [former.control]);
    },
    /**
     * Ends auto-translate in a space that the bot was removed from. Groups with channels elsewhere go on without its
     * channels, as long as two are left; those channels are told, which is not waited for.
     *
     * @param remove deletes what is stored of the space, once nothing works on it any more
     */
    leave: async (space: Space, remove: () => Promise<void>): Promise<void> => {
      const watched = watches.list(space).map(({ channel }) => channel);
      const isLeft = ({ channel }: ChannelWatch): boolean => keyOf(channel.space) === keyOf(space);
      await within(NAMED_MS, endOf(space, isLeft), undefined);
      const ended = await parting(
        watched,
        async () => {
          const gone: Channel[] = [];
          // Others write between these changes.
          for (const some of slicesOf(watched, REMOVED_AT_ONCE))
            gone.push(...(await watches.remove(some)));
          return gone;
        },
        undefined,
        'left',
      );
      await own.unfollow(ended.filter((channel) => keyOf(channel.space) !== keyOf(space)));
      const open = await inbox.openIn(space);
      for (const { ref } of open) scheduler.interrupt(ref);
      const forget = (): void => {
        for (const memory of memories) memory.forgetSpace(space);
        forgetNames(space);
      };
      forget();
      await remove();
      // Work that ended meanwhile may have noted something.
      forget();
      // Work that waited for these rows goes on with those of other spaces.
      for (const partition of new Set(open.map((row) => row.partition))) scheduler.wake(partition);
    },
  };
};
