import { MINUTE_MS } from '../../async/clock.ts';
import { createKeyedMutex } from '../../async/locks.ts';
import { toAppError, userError } from '../../errors.ts';
import type { Content } from '../../model/message.ts';
import { isSameChannel, type Channel, type Space } from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import type { LinkConditions, LinkProposal, AskedLink, LinkStep } from '../../model/watches.ts';
import type { Leases } from '../../ports/processes.ts';
import type { LinkInvites } from '../../store/channels/link-invites.ts';
import type { LinkEnd, LinkRequests, StoredRequest } from '../../store/channels/link-requests.ts';
import { currentActor } from '../../store/actor.ts';
import { noteChange } from '../../store/audit.ts';
import type { WatchStore } from '../../store/channels/watches.ts';
import type { Store } from '../../store/index.ts';
import { blockKey } from '../../store/blocks.ts';
import { NAMED_MS, within } from '../watched-platforms.ts';
import { nameElsewhere, personElsewhere, spaceElsewhere } from './names.ts';
import { demandSetup, setupMark } from '../replaced.ts';
import type { createLinkHosts } from './hosts.ts';
import { createLinkQuestions, type LinkQuestionsDeps } from './questions.ts';
import { logFailure } from '../../telemetry/log.ts';
import { isWatchOf } from './partings.ts';
import { createLinkMaking, isOfSpace, isOver, unknownCode, type LinkMakingDeps } from './making.ts';

export interface LinkRequestsDeps extends LinkQuestionsDeps, LinkMakingDeps {
  readonly own: LinkMakingDeps['own'] & Pick<WatchStore, 'list'>;
  readonly store: Pick<Store, 'write'>;
  readonly leases: Pick<Leases, 'acquire'>;
  readonly invites: Pick<LinkInvites, 'find' | 'take'>;
  readonly requests: Omit<LinkRequests, 'clear'>;
  readonly wasBefore: ReturnType<typeof createLinkHosts>['wasBefore'];
}

/** Longest time for which one process asks, or waits for another one that does. */
const ASKING_MS = MINUTE_MS;

type Admit = LinkConditions['admit'];

/**
 * Links channels of different spaces once a moderator of each has agreed: the side that uses a code sees the other one
 * first, then that one is asked. Each step is stored whole, so that a request is answered once, or not at all.
 */
export const createLinkRequests = (deps: LinkRequestsDeps) => {
  const { store, invites, requests, platforms, groupOf, tellLinks } = deps;
  const { demand, make } = createLinkMaking(deps);
  const turns = createKeyedMutex();
  const questions = createLinkQuestions(deps);

  /** A channel that was not linked, as it is set; where it is off, notices are in the language of the moderators. */
  const unlinked = async ({ channel }: ChannelWatch): Promise<ChannelWatch> => {
    const { moderators } = await deps.spaces.of(channel.space);
    const languages = [moderators?.locale ?? 'en'];
    const off = { channel, mode: 'reply', languages, transcribes: false, bots: false } as const;
    return deps.own.of(channel) ?? off;
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

  /**
   * Says in the questions of a request that is over that it is, once, whichever processes find that; what fails is kept for
   * a later try. Goes on by itself where that takes long. Never rejects.
   */
  const close = async (id: string): Promise<void> => {
    const closing = logFailure(deps.log, 'a request for a link could not be closed', async () => {
      const asking = AbortSignal.timeout(ASKING_MS);
      const tenure = await deps.leases.acquire(`link-question:${id}`, asking);
      try {
        for (const ended of await requests.over({ id }))
          if (await questions.close(ended)) await requests.remove(id);
      } finally {
        await tenure.release();
      }
    });
    await within(NAMED_MS, closing, undefined);
  };

  /** Ends a request, once, and says so in its questions; with `isTold` also in the channel that it was made for. */
  const end = async (
    request: StoredRequest,
    became: 'linked' | 'gone' | 'changed',
    isTold = false,
  ) => {
    if (!(await store.write(async (db) => requests.take(db, request.id, became)))) return;
    if (isTold && became !== 'linked')
      void tellLinks([await unlinked(request.joining)], `autotranslate.link-${became}`, []);
    await close(request.id);
  };

  /** True of a deleted channel, as far as its platform says so in time. */
  const isGone = async ({ channel }: ChannelWatch): Promise<boolean> => {
    const asked = platforms.find(channel)?.feed.isGone?.(channel) ?? Promise.resolve(false);
    return within(NAMED_MS, asked, false).catch(() => false);
  };

  /** A request as one of its sides sees it; ends it where a channel was deleted while the bot was away. */
  const find = async (
    id: string,
    side: 'invited' | 'joining',
    space: Space,
    pressedIn?: Channel,
  ) => {
    const request = await requests.find(id);
    const isOpen = side === 'joining' || request?.state !== 'drafted';
    if (!request || !isOpen || !isOfSpace(request[side], space)) throw isOver();
    const { invited, joining } = request;
    // A channel from which the bot was removed may be as unknown to it as a deleted one.
    const isHere = ({ channel }: ChannelWatch): boolean =>
      pressedIn !== undefined && isSameChannel(channel, pressedIn);
    const gone = await Promise.all(
      [invited, joining].map(async (each) => !isHere(each) && isGone(each)),
    );
    if (gone.includes(true)) {
      await end(request, 'gone', side === 'invited' && !gone[1]);
      throw userError('not-found', 'autotranslate.link-gone');
    }
    return request;
  };

  const taken =
    (id: string, became: LinkEnd) => async (db: Parameters<LinkRequests['take']>[0]) => {
      if (!(await requests.take(db, id, became))) throw isOver();
    };

  const link = async (...[grown, claim, who]: Parameters<typeof make>): Promise<void> => {
    await make(grown, claim, who);
    void endOpen(grown.joined.channel.space, isLinked, 'linked');
  };

  /** Ends the open requests of a space that can be agreed to no more, and says so in their questions. Never rejects. */
  const endOpen = async (
    space: Space,
    isEnding: (request: StoredRequest) => boolean,
    became: 'linked' | 'gone',
    isTold?: (request: StoredRequest) => boolean,
  ): Promise<void> => {
    await logFailure(deps.log, 'links that were asked for could not be ended', async () => {
      const ending = (await requests.open(space)).filter(isEnding).map(async ({ id }) => {
        using _ = await turns.take(id);
        const request = await requests.find(id);
        if (request) await end(request, became, isTold?.(request));
      });
      await Promise.all(ending);
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
      // Another process may have taken the answer of the panel meanwhile.
      if (standing.length > 0 && !(await requests.told(request, standing)))
        await questions.close({ ...request, questions: standing, became: 'over' });
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

  const inviteOf = async (code: string) => {
    const invite = await invites.find(code);
    if (!invite) throw unknownCode();
    return invite;
  };

  return {
    demandCode: async (code: string): Promise<void> => void (await inviteOf(code)),
    propose: async (
      code: string,
      joining: ChannelWatch,
      { admit, mayMixAges: joinsAges, by: asker }: LinkConditions,
    ): Promise<LinkProposal> => {
      const { watch, known, mayMixAges, codeHash, madeBy } = await inviteOf(code);
      const wanted = { invited: watch, joining, known, mayMixAges, joinsAges };
      const { joined, others } = await demand(wanted, joining.channel.space, admit);
      const id = await requests.draft(wanted, codeHash, asker);
      const asksOther = !isOfSpace(watch, joining.channel.space);
      const names = await namesOf(others);
      const { space } = watch.channel;
      const isNamed = asksOther && madeBy !== undefined;
      const by = isNamed ? await personElsewhere(madeBy, space, platforms) : madeBy;
      const isLater = asksOther && !deps.wasBefore(joining.channel.space, space, others);
      return { id, by, names, asksOther, isLater, watches: [...others, joined] };
    },
    ask: async (id: string, space: Space, admit: Admit, seen?: string): Promise<LinkStep> => {
      const drafted = await find(id, 'joining', space);
      const joining = drafted.joining.channel;
      const grown = await demand(drafted, space, admit);
      const useCode = async (db: Parameters<LinkRequests['take']>[0]): Promise<void> => {
        if (!(await invites.take(db, drafted.codeHash))) throw unknownCode();
      };
      // Moderators of one space decide about all of its channels.
      if (isOfSpace(drafted.invited, space)) {
        const claim: Parameters<typeof make>[1] = async (db, current) => {
          await useCode(db);
          await taken(id, 'done')(db);
          demandSetup(joining, current, seen);
        };
        const name = drafted.askedBy;
        await link(grown, claim, name === undefined ? {} : { asked: { name, space } });
        return 'linked';
      }
      const by = currentActor();
      const after = { linkedElsewhere: await namesOf([drafted.invited]) };
      const { channel: invited } = drafted.invited;
      const theirs = await askedAs(drafted);
      if (drafted.state !== 'told') {
        const own = deps.own.list(space);
        demandSetup(joining, own, seen);
        const setup = seen ?? setupMark(own.find(isWatchOf(joining)));
        await store.write(async (db) => {
          if (!(await requests.ask(db, drafted, setup)) || drafted.state === 'asked') return;
          await useCode(db);
          await noteChange(db, space, by, { what: 'link-asked', channelId: joining.id, after });
          await noteChange(db, invited.space, by, {
            what: 'link-asked',
            channelId: invited.id,
            ...theirs,
          });
        });
      }
      await find(id, 'joining', space);
      return (await deliver(id)) ? 'asked' : 'unasked';
    },
    answer: async (
      id: string,
      space: Space,
      isAgreed: boolean,
      admit: Admit,
      pressedIn?: Channel,
      seen?: string,
    ): Promise<Content | undefined> => {
      using _ = await turns.take(id);
      const request = await find(id, 'invited', space, pressedIn);
      const { invited, joining } = request;
      if (isLinked(request)) {
        await store.write(taken(id, 'linked'));
        await close(id);
        throw userError('not-found', 'autotranslate.link-linked');
      }
      if (isAgreed) {
        const [asked, agreed] = [request.askedBy, currentActor()?.name];
        const who = asked !== undefined &&
          agreed !== undefined && {
            asked: { name: asked, space: joining.channel.space },
            agreed: { name: agreed, space },
          };
        const grown = await demand(request, space, admit);
        let changed: readonly [ChannelWatch | undefined] | undefined;
        const claim: Parameters<typeof make>[1] = async (db, current) => {
          // Another process may have answered: its answer stands.
          await taken(id, 'done')(db);
          demandSetup(joining.channel, current, request.setup);
          const now = current.find(isWatchOf(invited.channel));
          changed = seen !== undefined && seen !== setupMark(now) ? [now] : undefined;
          if (changed) throw isOver();
        };
        try {
          await link(grown, claim, who || {});
        } catch (thrown) {
          if (toAppError(thrown).sentence.key === 'autotranslate.panel-changed') {
            await end(request, 'changed', true);
            throw userError('not-found', 'autotranslate.link-changed');
          }
          if (!changed) throw thrown;
          return await questions.renew(request, changed[0], pressedIn);
        }
        await close(id);
        return pressedIn && (await questions.saying({ invited, became: 'done' }, pressedIn));
      }
      await admit([...groupOf(invited.channel), invited].filter((each) => isOfSpace(each, space)));
      const by = currentActor();
      const after = { linkedElsewhere: await namesOf([joining]) };
      await store.write(async (db) => {
        await taken(id, 'refused')(db);
        const { id: channelId } = invited.channel;
        await noteChange(db, space, by, { what: 'link-refused', channelId, after });
      });
      const asked = await unlinked(joining);
      void tellLinks([asked], 'autotranslate.link-refused-here', [invited.channel]);
      await close(id);
      return pressedIn && (await questions.saying({ invited, became: 'refused' }, pressedIn));
    },
    stateOf: async (id: string, space: Space, side: 'invited' | 'joining') => {
      const request = await requests.find(id);
      if (!request || !isOfSpace(request[side], space)) return 'over';
      return request.state === 'drafted' ? 'drafted' : 'asked';
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
    openLinksIn: async (space: Space): Promise<readonly Channel[]> =>
      (await requests.open(space)).map(
        ({ invited, joining }) => (isOfSpace(invited, space) ? invited : joining).channel,
      ),
    withdraw: async (id: string, space: Space, admit: Admit): Promise<void> => {
      using _ = await turns.take(id);
      const request = await find(id, 'joining', space);
      const { invited, joining } = request;
      await admit([...groupOf(joining.channel), joining].filter((each) => isOfSpace(each, space)));
      const by = currentActor();
      const elsewhere = await spaceElsewhere(space, platforms);
      const what = 'link-withdrawn';
      const [ours, theirs] = [await namesOf([joining]), await namesOf([invited])];
      await store.write(async (db) => {
        await taken(id, 'withdrawn')(db);
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
      await close(id);
    },
    /** Ends what was asked for channels of a space that are gone. */
    endOf: async (space: Space, isOf: (watch: ChannelWatch) => boolean): Promise<void> => {
      const isEnding = ({ invited, joining }: StoredRequest) => isOf(invited) || isOf(joining);
      await endOpen(space, isEnding, 'gone', ({ joining }) => !isOf(joining));
    },
    /** Begins to say in questions that their requests are over, where that was not said. Never rejects. */
    closeRequests: async (): Promise<void> => {
      await logFailure(deps.log, 'links that are over could not be looked for', async () => {
        for (const [platform] of platforms.all())
          for (const { id } of await requests.over({ platform })) void close(id);
      });
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
