import { userError } from '../../errors.ts';
import { channelKey, channelMention, isSameChannel, keyOf, type Space } from '../../model/place.ts';
import { MOST_CHANNELS, type ChannelWatch } from '../../model/space.ts';
import type { LinkConditions } from '../../model/watches.ts';
import { withoutChoices } from '../../store/channels/link-invites.ts';
import type { StoredRequest } from '../../store/channels/link-requests.ts';
import type { OwnWatches } from '../watches.ts';
import type { createLinkHosts } from './hosts.ts';
import type { createLinkNotices, LinkNoticeParams } from './notices.ts';
import { isWatchOf } from './partings.ts';
import type { createLinkPolicies } from './policy.ts';
import type { LinkQuestionsDeps } from './questions.ts';

export interface LinkMakingDeps extends Pick<LinkQuestionsDeps, 'platforms' | 'groupOf'> {
  readonly own: Pick<OwnWatches, 'of' | 'set' | 'demand'>;
  readonly demandHost: ReturnType<typeof createLinkHosts>['demandHost'];
  readonly policies: ReturnType<typeof createLinkPolicies>;
  readonly isRestricted: (watch: ChannelWatch) => Promise<boolean>;
  readonly tellLinks: ReturnType<typeof createLinkNotices>['tellLinks'];
}

type Link = Pick<StoredRequest, 'invited' | 'joining' | 'known' | 'mayMixAges' | 'joinsAges'>;

/** The error for a code that is unknown, or no longer fits its group. */
export const unknownCode = () => userError('not-found', 'autotranslate.link-unknown');
/** The error for a request that can be answered no more. */
export const isOver = () => userError('not-found', 'autotranslate.link-over');

/** True of a channel of that space. */
export const isOfSpace = ({ channel }: ChannelWatch, space: Space): boolean =>
  keyOf(channel.space) === keyOf(space);

/**
 * Throws where an age-restricted channel would be shown in open ones of other spaces than the one that agrees to that:
 * each decides for its own people.
 *
 * @param agreeing a channel of the space that agrees
 */
export const demandOpenHere = async (
  joining: ChannelWatch,
  members: readonly ChannelWatch[],
  isRestricted: LinkMakingDeps['isRestricted'],
  agreeing: ChannelWatch = joining,
): Promise<void> => {
  const others = members.filter((each) => !isOfSpace(each, agreeing.channel.space));
  const [isJoining, ...restricted] = await Promise.all([joining, ...others].map(isRestricted));
  if (isJoining && restricted.includes(false))
    throw userError('bad-input', 'autotranslate.age-restricted-code');
};

/** The group as a link would make it. Throws where it has changed since the code was made, or has no room. */
const grownBy = ({ invited, joining, known }: Link, members: readonly ChannelWatch[]) => {
  if (isSameChannel(invited.channel, joining.channel))
    throw userError('bad-input', 'autotranslate.link-itself');
  // Who made the code decided about the channels that the group had then.
  if (!members.every(({ channel }) => known.includes(channelKey(channel)))) throw unknownCode();
  if (members.length >= MOST_CHANNELS)
    throw userError('bad-input', 'autotranslate.link-full', { most: MOST_CHANNELS });
  if (members.some(({ channel }) => isSameChannel(channel, joining.channel)))
    throw userError('bad-input', 'autotranslate.link-already', {
      channel: channelMention(joining.channel),
    });
  const group = members[0]?.group ?? crypto.randomUUID();
  const { space } = joining.channel;
  const isAgreed = (each: ChannelWatch): boolean =>
    [space, invited.channel.space].some((one) => isOfSpace(each, one));
  // Who lets a space in decides for no further one.
  const isKnown = members.some((each) => isOfSpace(each, space));
  const unasked = isKnown ? [] : members.filter((each) => !isAgreed(each));
  const shut = unasked.map(({ channel }) => [keyOf(channel.space), { fromMs: 0 }] as const);
  const choices = shut.length > 0 && { choices: { unagreed: Object.fromEntries(shut) } };
  const joined: ChannelWatch = { ...withoutChoices(joining), mode: 'mirror', group, ...choices };
  const isNew = members.length === 0;
  const others = isNew ? [{ ...withoutChoices(invited), group }] : members;
  return { joined, others, changed: isNew ? [...others, joined] : [joined] };
};

/** Creates the rules of a link that both sides agreed to: when it can be made, and how. */
export const createLinkMaking = (deps: LinkMakingDeps) => {
  const { own, groupOf, tellLinks } = deps;

  /** Throws where people who see an open channel would see what is written in an age-restricted one without a yes of a moderator of theirs. */
  const demandAges = async (
    { mayMixAges, joinsAges, invited }: Link,
    joining: ChannelWatch,
    members: readonly ChannelWatch[],
  ): Promise<void> => {
    const [isJoining, ...others] = await Promise.all([joining, ...members].map(deps.isRestricted));
    if (!isJoining && others.includes(true) && !joinsAges)
      throw userError('bad-input', 'autotranslate.age-restricted');
    if (isJoining && others.includes(false) && !mayMixAges)
      throw userError('bad-input', 'autotranslate.age-restricted-code');
    await demandOpenHere(joining, members, deps.isRestricted, invited);
  };

  /** The link as it can be made now; rejects as `Watches.propose` does. */
  const demand = async (link: Link, space: Space, admit: LinkConditions['admit']) => {
    const grown = grownBy(link, groupOf(link.invited.channel));
    const { joined, others, changed } = grown;
    await admit([...others, joined].filter((each) => isOfSpace(each, space)));
    deps.demandHost([link.invited.channel.space, joined.channel.space], others);
    await deps.policies.demand([...others, joined], space);
    await demandAges(link, joined, others);
    // The channel of the code may have been lost while its group stood.
    const asked = others.filter(isWatchOf(link.invited.channel));
    await own.demand([...new Set([...asked, ...changed])], space);
    return grown;
  };

  /** Links the channels, all in one transaction with what ends the request; tells them, which is not waited for. */
  const make = async (
    { joined, others, changed }: ReturnType<typeof grownBy>,
    claim: NonNullable<Parameters<OwnWatches['set']>[1]>,
    who: Pick<LinkNoticeParams, 'asked' | 'agreed'>,
  ): Promise<void> => {
    // The group as both sides agreed to it; none where this link makes it.
    const known = changed.length === 1 ? others : [];
    const told = {
      ...who,
      set: changed,
      before: changed.flatMap(({ channel }) => own.of(channel) ?? []),
    };
    const [keyOfFirst] = others.map(({ channel }) => channelKey(channel));
    await own.set(changed, async (db, current) => {
      const group = current.find(({ channel }) => channelKey(channel) === keyOfFirst)?.group;
      const keys = current.flatMap((each) =>
        group !== undefined && each.group === group ? [channelKey(each.channel)] : [],
      );
      const isSame =
        known.length === keys.length &&
        known.every(({ channel }) => keys.includes(channelKey(channel)));
      if (!isSame) throw isOver();
      await claim(db, current);
    });
    void tellLinks(others, 'autotranslate.linked-here', [joined.channel], told);
    const linked = others.map(({ channel }) => channel);
    void tellLinks([joined], 'autotranslate.linked-here', linked, told);
  };

  return { demand, make };
};
