import { MINUTE_MS } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { toAppError, userError } from '../../errors.ts';
import {
  channelKey,
  channelMention,
  isSameChannel,
  keyOf,
  type Channel,
  type Space,
} from '../../model/place.ts';
import { MOST_CHANNELS, type ChannelWatch } from '../../model/space.ts';
import type { LinkConditions, LinkProposal, AskedLink, LinkStep } from '../../model/watches.ts';
import type { RichText } from '../../rich-text/rich-text.ts';
import type { Leases } from '../../ports/processes.ts';
import { withoutChoices, type LinkInvites } from '../../store/channels/link-invites.ts';
import type { LinkRequests, StoredRequest } from '../../store/channels/link-requests.ts';
import { currentActor } from '../../store/actor.ts';
import { noteChange } from '../../store/audit.ts';
import type { Store } from '../../store/index.ts';
import { blockKey } from '../../store/blocks.ts';
import { NAMED_MS, within } from '../watched-platforms.ts';
import { nameElsewhere, personElsewhere, spaceElsewhere } from './names.ts';
import { createLinkQuestions, type LinkQuestionsDeps } from './questions.ts';
import type { createLinkNotices, LinkNoticeParams } from './notices.ts';
import type { createLinkHosts } from './hosts.ts';
import type { createLinkPolicies } from './policy.ts';
import { logFailure } from '../../telemetry/log.ts';
import { isWatchOf } from './partings.ts';
import type { OwnWatches } from '../watches.ts';

export interface LinkRequestsDeps extends LinkQuestionsDeps {
  readonly store: Pick<Store, 'write'>;
  readonly leases: Pick<Leases, 'acquire'>;
  readonly invites: Pick<LinkInvites, 'find' | 'take'>;
  readonly requests: Omit<LinkRequests, 'clear'>;
  readonly own: Pick<OwnWatches, 'of' | 'set' | 'demand'>;
  readonly demandHost: ReturnType<typeof createLinkHosts>['demandHost'];
  readonly policies: ReturnType<typeof createLinkPolicies>;
  readonly isRestricted: (watch: ChannelWatch) => Promise<boolean>;
  readonly tellLinks: ReturnType<typeof createLinkNotices>['tellLinks'];
}

/** Longest time for which one process asks, or waits for another one that does. */
const ASKING_MS = MINUTE_MS;

type Link = Pick<StoredRequest, 'invited' | 'joining' | 'known' | 'mayMixAges' | 'joinsAges'>;
type Admit = LinkConditions['admit'];

const unknownCode = () => userError('not-found', 'autotranslate.link-unknown');
const isOver = () => userError('not-found', 'autotranslate.link-over');

const isIn = ({ channel }: ChannelWatch, space: Space): boolean =>
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
  isRestricted: LinkRequestsDeps['isRestricted'],
  agreeing: ChannelWatch = joining,
): Promise<void> => {
  const others = members.filter((each) => !isIn(each, agreeing.channel.space));
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
    [space, invited.channel.space].some((one) => isIn(each, one));
  // Who lets a space in decides for no further one.
  const isKnown = members.some((each) => isIn(each, space));
  const unasked = isKnown ? [] : members.filter((each) => !isAgreed(each));
  const shut = unasked.map(({ channel }) => [keyOf(channel.space), { fromMs: 0 }] as const);
  const choices = shut.length > 0 && { choices: { unagreed: Object.fromEntries(shut) } };
  const joined: ChannelWatch = { ...withoutChoices(joining), mode: 'mirror', group, ...choices };
  const isNew = members.length === 0;
  const others = isNew ? [{ ...withoutChoices(invited), group }] : members;
  return { joined, others, changed: isNew ? [...others, joined] : [joined] };
};

/**
 * Links channels of different spaces once a moderator of each has agreed: the side that uses a code sees the other one
 * first, then that one is asked. Each step is stored whole, so that a request is answered once, or not at all.
 */
export const createLinkRequests = (deps: LinkRequestsDeps) => {
  const { store, invites, requests, own, platforms, groupOf, tellLinks } = deps;
  const turns = createKeyedMutex();
  const questions = createLinkQuestions(deps);

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

  /** Rejects where the bot is not let into channels of another space: of how it is, only its own moderators are told. */
  const demandReached = async (theirs: readonly ChannelWatch[]): Promise<void> => {
    for (const watch of theirs)
      await own.demand([watch]).catch(async (thrown: unknown) => {
        if (!/^watch\.(?:not-there|missing)$/.test(toAppError(thrown).sentence.key)) throw thrown;
        const channel = await nameElsewhere(watch.channel, platforms);
        throw userError('forbidden', 'autotranslate.link-unreached', { channel });
      });
  };

  /** The link as it can be made now; rejects as `Watches.propose` does. */
  const demand = async (link: Link, space: Space, admit: Admit) => {
    const grown = grownBy(link, groupOf(link.invited.channel));
    const { joined, others, changed } = grown;
    await admit([...others, joined].filter((each) => isIn(each, space)));
    deps.demandHost([link.invited.channel.space, joined.channel.space], others);
    await deps.policies.demand([...others, joined], space);
    await demandAges(link, joined, others);
    await own.demand(changed.filter((each) => isIn(each, space)));
    await demandReached(changed.filter((each) => !isIn(each, space)));
    return grown;
  };

  const namesOf = (watches: readonly ChannelWatch[]): Promise<string[]> =>
    Promise.all(watches.map(({ channel }) => nameElsewhere(channel, platforms)));

  /** A request as the side that is asked has it noted: with the person whom the question names. */
  const askedAs = async ({ joining, askedBy, askedById: id }: StoredRequest) => {
    const { space } = joining.channel;
    const after = { linkedElsewhere: await namesOf([joining]) };
    if (askedBy === undefined || id === undefined) return { after };
    const name = await personElsewhere(askedBy, space, platforms);
    return { about: blockKey({ platform: space.platform, id }), after: { ...after, name } };
  };

  /** Ends a request, once, and says so in its questions; with `isTold` also in the channel that it was made for. */
  const end = async (request: StoredRequest, became: 'linked' | 'gone', isTold = false) => {
    if (!(await store.write(async (db) => requests.take(db, request.id)))) return;
    if (isTold) void tellLinks([request.joining], 'autotranslate.link-gone', []);
    await questions.close(request, became);
  };

  /** True of a deleted channel, as far as its platform says so in time. */
  const isGone = async ({ channel }: ChannelWatch): Promise<boolean> => {
    const asked = platforms.find(channel)?.feed.isGone?.(channel) ?? Promise.resolve(false);
    return within(NAMED_MS, asked, false).catch(() => false);
  };

  /** A request as one of its sides sees it; ends it where a channel was deleted while the bot was away. */
  const find = async (id: string, side: 'invited' | 'joining', space: Space) => {
    const request = await requests.find(id);
    const isOpen = side === 'joining' || request?.state !== 'drafted';
    if (!request || !isOpen || !isIn(request[side], space)) throw isOver();
    const { invited, joining } = request;
    const gone = await Promise.all([invited, joining].map(isGone));
    if (gone.includes(true)) {
      await end(request, 'gone', side === 'invited' && !gone[1]);
      throw userError('not-found', 'autotranslate.link-gone');
    }
    return request;
  };

  const taken = (id: string) => async (db: Parameters<LinkRequests['take']>[0]) => {
    if (!(await requests.take(db, id))) throw isOver();
  };

  /** Links the channels, all in one transaction with what ends the request; tells them, which is not waited for. */
  const link = async (
    { joined, others, changed }: Awaited<ReturnType<typeof demand>>,
    claim: ReturnType<typeof taken>,
    who: Pick<LinkNoticeParams, 'asked' | 'agreed'>,
  ): Promise<void> => {
    // The group as both sides agreed to it; none where this link makes it.
    const known = changed.length === 1 ? others : [];
    const told = { ...who, before: changed.flatMap(({ channel }) => own.of(channel) ?? []) };
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
      await claim(db);
    });
    void tellLinks(others, 'autotranslate.linked-here', [joined.channel], told);
    const linked = others.map(({ channel }) => channel);
    void tellLinks([joined], 'autotranslate.linked-here', linked, told);
    void endOpen(joined.channel.space, isLinked, 'linked');
  };

  /** Ends the open requests of a space that can be agreed to no more, and says so in their questions. Never rejects. */
  const endOpen = async (
    space: Space,
    isEnding: (request: StoredRequest) => boolean,
    became: 'linked' | 'gone',
    isTold?: (request: StoredRequest) => boolean,
  ): Promise<void> => {
    await logFailure(deps.log, 'links that were asked for could not be ended', async () => {
      for (const { id } of (await requests.open(space)).filter(isEnding)) {
        using _ = await turns.take(id);
        const request = await requests.find(id);
        if (request) await end(request, became, isTold?.(request));
      }
    });
  };

  const isLinked = ({ invited, joining }: StoredRequest): boolean =>
    groupOf(invited.channel).some(isWatchOf(joining.channel));

  /**
   * Asks the side that made the code, once, whichever processes find that it was not asked yet; false where none of its
   * channels can be written to now.
   */
  const deliver = async (id: string): Promise<boolean> => {
    using _ = await turns.take(id);
    const asking = AbortSignal.timeout(ASKING_MS);
    const tenure = await deps.leases.acquire(`link-question:${id}`, asking);
    try {
      const request = await requests.find(id);
      if (request?.state !== 'asked') return true;
      const standing = await questions.put(request, tenure);
      if (standing.length > 0) await requests.told(request, standing);
      return standing.length > 0;
    } finally {
      await tenure.release();
    }
  };

  /** Platforms whose spaces were asked what they were not asked before a restart. */
  const resumed = new Set<string>();
  const deliverAll = async (platform: string): Promise<void> => {
    for (const id of await requests.untold(platform)) await deliver(id);
  };

  return {
    propose: async (
      code: string,
      joining: ChannelWatch,
      { admit, mayMixAges: joinsAges, by: asker }: LinkConditions,
    ): Promise<LinkProposal> => {
      const invite = await invites.find(code);
      if (!invite) throw unknownCode();
      const { watch: invited, known, mayMixAges, codeHash, madeBy } = invite;
      const wanted = { invited, joining, known, mayMixAges, joinsAges };
      const { joined, others } = await demand(wanted, joining.channel.space, admit);
      const id = await requests.draft(wanted, codeHash, asker);
      const asksOther = !isIn(invited, joining.channel.space);
      const names = await namesOf(others);
      const { space } = invited.channel;
      const isNamed = asksOther && madeBy !== undefined;
      const by = isNamed ? await personElsewhere(madeBy, space, platforms) : madeBy;
      return { id, by, names, asksOther, watches: [...others, joined] };
    },
    ask: async (id: string, space: Space, admit: Admit): Promise<LinkStep> => {
      const drafted = await find(id, 'joining', space);
      const grown = await demand(drafted, space, admit);
      const useCode = async (db: Parameters<LinkRequests['take']>[0]): Promise<void> => {
        if (!(await invites.take(db, drafted.codeHash))) throw unknownCode();
      };
      // Moderators of one space decide about all of its channels.
      if (isIn(drafted.invited, space)) {
        const claim: typeof useCode = async (db) => {
          await useCode(db);
          await taken(id)(db);
        };
        const name = drafted.askedBy;
        await link(grown, claim, name === undefined ? {} : { asked: { name, space } });
        return 'linked';
      }
      const by = currentActor();
      const after = { linkedElsewhere: await namesOf([drafted.invited]) };
      const { channel: invited } = drafted.invited;
      const theirs = await askedAs(drafted);
      if (drafted.state === 'drafted')
        await store.write(async (db) => {
          if (!(await requests.ask(db, id))) return;
          await useCode(db);
          const { id: channelId } = drafted.joining.channel;
          await noteChange(db, space, by, { what: 'link-asked', channelId, after });
          await noteChange(db, invited.space, by, {
            what: 'link-asked',
            channelId: invited.id,
            ...theirs,
          });
        });
      await find(id, 'joining', space);
      return (await deliver(id)) ? 'asked' : 'unasked';
    },
    answer: async (
      id: string,
      space: Space,
      isAgreed: boolean,
      admit: Admit,
      pressedIn?: Channel,
    ): Promise<RichText | undefined> => {
      using _ = await turns.take(id);
      const request = await find(id, 'invited', space);
      const { invited, joining } = request;
      if (isLinked(request)) {
        await store.write(taken(id));
        await questions.close(request, 'linked', pressedIn);
        throw userError('not-found', 'autotranslate.link-linked');
      }
      if (isAgreed) {
        const [asked, agreed] = [request.askedBy, currentActor()?.name];
        const who = asked !== undefined &&
          agreed !== undefined && {
            asked: { name: asked, space: joining.channel.space },
            agreed: { name: agreed, space },
          };
        await link(await demand(request, space, admit), taken(id), who || {});
        return await questions.close(request, 'done', pressedIn);
      }
      await admit([...groupOf(invited.channel), invited].filter((each) => isIn(each, space)));
      const by = currentActor();
      const after = { linkedElsewhere: await namesOf([joining]) };
      await store.write(async (db) => {
        await taken(id)(db);
        const { id: channelId } = invited.channel;
        await noteChange(db, space, by, { what: 'link-refused', channelId, after });
      });
      void tellLinks([joining], 'autotranslate.link-refused-here', [invited.channel]);
      return await questions.close(request, 'refused', pressedIn);
    },
    openLinks: async (channel: Channel): Promise<readonly AskedLink[]> => {
      const all = await requests.open(channel.space);
      const isOf = ({ channel: one }: ChannelWatch): boolean => isSameChannel(one, channel);
      return Promise.all(
        all
          .filter(({ invited, joining }) => isOf(invited) || isOf(joining))
          .map(async ({ id, invited, joining, askedBy: asker, expiresMs }) => {
            const isAsked = isOf(invited);
            const other = (isAsked ? joining : invited).channel;
            const isNamed = isAsked && asker !== undefined;
            const by = isNamed ? await personElsewhere(asker, other.space, platforms) : asker;
            return { id, isAsked, channel: await nameElsewhere(other, platforms), by, expiresMs };
          }),
      );
    },
    withdraw: async (id: string, space: Space, admit: Admit): Promise<void> => {
      using _ = await turns.take(id);
      const request = await find(id, 'joining', space);
      const { invited, joining } = request;
      await admit([...groupOf(joining.channel), joining].filter((each) => isIn(each, space)));
      const by = currentActor();
      const elsewhere = await spaceElsewhere(space, platforms);
      const what = 'link-withdrawn';
      const [ours, theirs] = [await namesOf([joining]), await namesOf([invited])];
      await store.write(async (db) => {
        await taken(id)(db);
        for (const [{ channel }, linkedElsewhere] of [
          [joining, theirs],
          [invited, ours],
        ] as const)
          await noteChange(db, channel.space, by, {
            what,
            channelId: channel.id,
            elsewhere,
            after: { linkedElsewhere },
          });
      });
      await questions.close(request, 'withdrawn');
    },
    /** Ends what was asked for channels of a space that are gone. */
    endOf: async (space: Space, isOf: (watch: ChannelWatch) => boolean): Promise<void> => {
      const isEnding = ({ invited, joining }: StoredRequest) => isOf(invited) || isOf(joining);
      await endOpen(space, isEnding, 'gone', ({ joining }) => !isOf(joining));
    },
    /** Asks the spaces of a platform that is ready what they were to be asked before a restart. */
    resume: (platform: string): void => {
      if (resumed.has(platform)) return;
      resumed.add(platform);
      deliverAll(platform).catch((err: unknown) =>
        deps.log.warn({ err }, 'links that were asked for could not be read'),
      );
    },
  };
};
