import type { Api } from './api.ts';
import { ANSWERING } from './rate-limiter.ts';
import type { People } from './people.ts';
import { createCache } from '../../src/async/lru.ts';
import { MINUTE_MS } from '../../src/async/clock.ts';
import { faultFields } from '../../src/errors.ts';
import type { Log } from '../../src/telemetry/log.ts';
import type { Space } from '../../src/model/place.ts';
import type { PeopleGroup } from '../../src/ports/platform.ts';
import type { Services } from '../../src/command/services.ts';

/** Groups whose members are cached, and for how long: who leaves a group moderates no longer than that. */
const CACHED_GROUPS = 2_000;
const LIFE_MS = MINUTE_MS;

export interface ModeratorsDeps {
  readonly api: Api;
  readonly people: Pick<People, 'of'>;
  readonly services: Pick<Services, 'spaces'>;
  readonly log: Log;
  readonly now: () => number;
}

/** Lists the user groups of a workspace that are in use; none where its plan has no groups. */
export const readGroups = async (api: Api, space: Space): Promise<readonly PeopleGroup[]> => {
  const { usergroups = [] } = await api.call(space, 'usergroups.list', {}, { priority: ANSWERING });
  return usergroups.flatMap(({ id, handle, name, date_delete: ended }) =>
    id === undefined || ended ? [] : [{ id, name: `@${handle ?? name ?? id}` }],
  );
};

/**
 * Creates what reads people as those who use something are to be seen: a member of the workspace who is in a user group
 * that its moderators chose moderates, too. Whose groups cannot be read moderates nothing by them.
 */
export const createModerators = ({
  api,
  people,
  services,
  log,
  now,
}: ModeratorsDeps): Pick<People, 'of'> => {
  const members = createCache(
    async ({ space, group }: { space: Space; group: string }): Promise<ReadonlySet<string>> => {
      const args = { usergroup: group };
      const asked = await api.call(space, 'usergroups.users.list', args, { priority: ANSWERING });
      return new Set(asked.users ?? []);
    },
    {
      keyOf: ({ space, group }) => `${space.id} ${group}`,
      most: CACHED_GROUPS,
      lifeMs: LIFE_MS,
      now,
    },
  );

  const isInGroup = async (space: Space, id: string): Promise<boolean> => {
    const { moderatorGroups = [] } = await services.spaces.of(space);
    for (const group of moderatorGroups)
      try {
        if ((await members.of({ space, group })).has(id)) return true;
      } catch (thrown) {
        log.warn(faultFields(thrown), 'Slack: the members of a user group are not known');
      }
    return false;
  };

  return {
    of: async (space, id, priority) => {
      const user = await people.of(space, id, priority);
      const mayBe = !user.isAdmin && user.homeId !== undefined && user.isActive && !user.isBot;
      return mayBe && (await isInGroup(space, id)) ? { ...user, isAppointed: true } : user;
    },
  };
};
