import type { UsersInfoResponse } from '@slack/web-api';
import { AppError } from '../../src/errors.ts';
import type { Api } from './api.ts';
import type { CallPriority } from './rate-limiter.ts';
import { createCache } from '../../src/async/lru.ts';
import { HOUR_MS } from '../../src/async/clock.ts';
import type { Installations } from './install/installations.ts';
import type { Space, Channel } from '../../src/model/place.ts';
import { channelOf } from './ids.ts';
import { shownName } from '../../src/text/quoted-words.ts';

/** A person or an app as others in a workspace see them. */
export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly avatarUrl: string | undefined;
  /** BCP 47; undefined for people of other organisations. */
  readonly locale: string | undefined;
  /** Name in the IANA time zone database. */
  readonly timeZone: string | undefined;
  readonly isAdmin: boolean;
  /** True of a member of a user group that moderators chose; set for those who use something. */
  readonly isAppointed?: true;
  readonly isBot: boolean;
  /** False for somebody who has left. */
  readonly isActive: boolean;
  /** Id of the workspace or organisation of the app's installation; undefined for others' people. */
  readonly homeId: string | undefined;
}

/** People whose names are cached, and for how long: the event of a change may be lost. */
const CACHED_PEOPLE = 10_000;
const LIFE_MS = HOUR_MS;

/** People of a workspace that are listed, with those who left, the size of a page, and names that are kept of all. */
const LISTED_PEOPLE = 5_000;
const PEOPLE_PAGE = 500;
const CACHED_NAMES = 200_000;

interface Lookup {
  readonly space: Space;
  readonly id: string;
  readonly priority: CallPriority | undefined;
}

type Named = Pick<NonNullable<UsersInfoResponse['user']>, 'name' | 'profile' | 'real_name'>;

const nameOf = ({ profile = {}, real_name, name }: Named, id: string): string =>
  shownName(profile.display_name, profile.real_name, real_name, name, id);

export type People = ReturnType<typeof createPeople>;

/** Creates the cache of people's names and rights: Slack's events have only their ids. */
export const createPeople = (
  api: Api,
  installations: Pick<Installations, 'ownerOf'>,
  now: () => number,
) => {
  const read = async ({ space, id, priority }: Lookup): Promise<SlackUser> => {
    const args = { user: id, include_locale: true };
    const { user } = await api.call(space, 'users.info', args, { priority });
    if (!user) throw new AppError('bad-reply', 'Slack did not describe a person');
    const { profile = {}, enterprise_user: inOrganisation } = user;
    const owner = installations.ownerOf(space).id;
    // Somebody of another workspace may manage that one, but not this one.
    const isOwn =
      user.team_id === undefined ||
      user.team_id === space.id ||
      inOrganisation?.teams?.includes(space.id) === true;
    const isManager = [user, inOrganisation].some(
      (each) => each?.is_admin === true || each?.is_owner === true,
    );
    return {
      id,
      name: nameOf(user, id),
      avatarUrl: profile.image_192 ?? profile.image_72,
      locale: user.locale,
      timeZone: user.tz,
      isAdmin: isOwn && isManager,
      isBot: user.is_bot === true,
      isActive: user.deleted !== true,
      homeId: isOwn ? owner : undefined,
    };
  };
  const readNames = async (space: Space): Promise<readonly string[] | undefined> => {
    const names: string[] = [];
    let cursor: string | undefined;
    let pages = 0;
    do {
      const args = { limit: PEOPLE_PAGE, ...(cursor && { cursor }) };
      const { members = [], response_metadata: more } = await api.call(space, 'users.list', args);
      for (const each of members) if (!each.deleted) names.push(nameOf(each, each.id ?? ''));
      cursor = more?.next_cursor;
      pages += 1;
    } while (cursor && pages * PEOPLE_PAGE < LISTED_PEOPLE);
    return cursor ? undefined : names;
  };
  const names = createCache(readNames, {
    keyOf: ({ id }) => id,
    most: CACHED_NAMES,
    weightOf: (all) => all?.length ?? 1,
    lifeMs: LIFE_MS,
    now,
  });
  const cache = createCache(read, {
    // Who waits for an answer does not wait for what is read for others.
    keyOf: ({ space, id, priority }) => `${space.id} ${id} ${priority?.level}`,
    most: CACHED_PEOPLE,
    lifeMs: LIFE_MS,
    now,
  });
  return {
    /** Rejects with an `AppError`; `not-found` for a person whom the app may not know. */
    of: async (space: Space, id: string, priority?: CallPriority): Promise<SlackUser> =>
      cache.of({ space, id, priority }),
    /** The names of everybody and every app in a workspace; undefined where they are too many. Rejects with an `AppError`. */
    names: names.of,
    /** Takes a change of a person's name, picture or rights, wherever they are known. */
    changed: (id: string): void => cache.forgetWhere((asked) => asked.id === id),
    /** Drops what is known of everybody, as changes were missed. */
    forgetAll: (): void => cache.forgetWhere(() => true),
    forgetSpace: (space: Space): void => {
      cache.forgetWhere((asked) => asked.space.id === space.id);
      names.forget(space);
    },
  };
};

/** True for a person's id in place of a channel's: their conversation with the app is meant. */
export const isPersonId = (id: string): boolean => /^[UW]/.test(id);

/** Opens the conversation between a person and the app. */
export const openDirectChannel = async (
  api: Api,
  space: Space,
  userId: string,
): Promise<Channel> => {
  const { channel } = await api.call(space, 'conversations.open', { users: userId });
  if (channel?.id === undefined) throw new AppError('bad-reply', 'Slack opened no conversation');
  return channelOf(space.id, channel.id);
};
