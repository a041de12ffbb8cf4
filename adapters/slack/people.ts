import { z } from 'zod';
import type { Api } from './api.ts';
import type { CallPriority } from './bucket.ts';
import { createCache } from '../../src/async/lru.ts';
import { HOUR_MS } from '../../src/async/time.ts';
import type { Installations } from './install/installations.ts';
import type { Space } from '../../src/model/place.ts';

/** A person or an app as others in a workspace see them. */
export interface SlackUser {
  readonly id: string;
  readonly name: string;
  readonly avatarUrl: string | undefined;
  /** BCP 47; undefined for people of other organisations. */
  readonly locale: string | undefined;
  readonly isAdmin: boolean;
  readonly isBot: boolean;
  /** Id of the workspace or organisation of the app's installation; undefined for others' people. */
  readonly homeId: string | undefined;
}

const userInfo = z.object({
  user: z.object({
    id: z.string(),
    team_id: z.string().optional(),
    name: z.string().optional(),
    real_name: z.string().optional(),
    locale: z.string().optional(),
    is_bot: z.boolean().optional(),
    is_admin: z.boolean().optional(),
    is_owner: z.boolean().optional(),
    /** The person in their organisation ("User object"). */
    enterprise_user: z
      .object({
        enterprise_id: z.string().optional(),
        is_admin: z.boolean().optional(),
        is_owner: z.boolean().optional(),
        teams: z.array(z.string()).optional(),
      })
      .optional(),
    profile: z
      .object({
        display_name: z.string().optional(),
        real_name: z.string().optional(),
        image_192: z.string().optional(),
        image_72: z.string().optional(),
      })
      .optional(),
  }),
});

/** People whose names are kept, and for how long: the event of a change may be lost. */
const KEPT = 10_000;
const KEPT_MS = HOUR_MS;

interface Asked {
  readonly space: Space;
  readonly id: string;
  readonly priority: CallPriority | undefined;
}

export type People = ReturnType<typeof createPeople>;

/** Creates the cache of people's names and rights: Slack's events have only their ids. */
export const createPeople = (
  api: Api,
  installations: Pick<Installations, 'ownerOf'>,
  now: () => number,
) => {
  const ask = async ({ space, id, priority }: Asked): Promise<SlackUser> => {
    const args = { user: id, include_locale: true };
    const answer = await api.call(space, 'users.info', args, { priority });
    const { user } = userInfo.parse(answer);
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
      name: profile.display_name || profile.real_name || user.real_name || user.name || id,
      avatarUrl: profile.image_192 ?? profile.image_72,
      locale: user.locale,
      isAdmin: isOwn && isManager,
      isBot: user.is_bot === true,
      homeId: isOwn ? owner : undefined,
    };
  };
  const cache = createCache(ask, {
    // Who waits for an answer does not wait for what is read for others.
    keyOf: ({ space, id, priority }) => `${space.id} ${id} ${priority?.level}`,
    most: KEPT,
    keptMs: KEPT_MS,
    now,
  });
  return {
    /** Rejects with an `AppError`; `not-found` for a person whom the app may not know. */
    of: async (space: Space, id: string, priority?: CallPriority): Promise<SlackUser> =>
      cache.of({ space, id, priority }),
    /** Takes a change of a person's name, picture or rights, wherever they are known. */
    changed: (id: string): void => cache.forgetWhere((asked) => asked.id === id),
    /** Drops what is known of everybody, as changes were missed. */
    forgetAll: (): void => cache.forgetWhere(() => true),
    /** Drops what is known of the people of a workspace. */
    forgetSpace: (space: Space): void => cache.forgetWhere((asked) => asked.space.id === space.id),
  };
};
