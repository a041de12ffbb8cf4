import { z } from 'zod';
import { spaceOf, channelOf } from '../ids.ts';
import { isOrganisation } from '../install/stored-installations.ts';
import type { Space, Channel } from '../../../src/model/place.ts';
import type { Installations } from '../install/installations.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

/** An event as the Events API delivers it. */
export const eventBody = z.looseObject({
  type: z.literal('event_callback'),
  event_id: z.string(),
  team_id: z.string().nullish(),
  context_team_id: z.string().nullish(),
  enterprise_id: z.string().nullish(),
  context_enterprise_id: z.string().nullish(),
  authorizations: z
    .array(
      z.looseObject({
        team_id: z.string().nullish(),
        enterprise_id: z.string().nullish(),
        is_enterprise_install: z.boolean().optional(),
      }),
    )
    .optional(),
  event: z.looseObject({ type: z.string() }),
});

export type EventBody = z.infer<typeof eventBody>;

/** Tells that a workspace had more events than Slack delivers ("app_rate_limited"). */
export const rateLimitedBody = z.looseObject({
  type: z.literal('app_rate_limited'),
  team_id: z.string(),
});

/** Workspaces that use their organisation's installation ("Organization-ready apps"). */
export interface Membership {
  readonly spaces: readonly Space[];
  readonly organisationId: string;
}

const workspaces = (...ids: readonly (string | null | undefined)[]): readonly Space[] =>
  ids.flatMap((id) => (id ? [spaceOf(id)] : [])).filter((space) => !isOrganisation(space));

/** The organisation through whose installation an event came; undefined for a workspace's own. */
export const organisationOf = (body: EventBody): string | undefined => {
  const [seen] = body.authorizations ?? [];
  if (!seen?.is_enterprise_install) return undefined;
  return seen.enterprise_id ?? body.context_enterprise_id ?? body.enterprise_id ?? undefined;
};

/**
 * The workspaces that an event tells of as its organisation's. `team_id` may be of another
 * organisation: an event of a shared channel names the workspace in which it happened.
 */
export const membershipOf = (body: EventBody): Membership | undefined => {
  const organisationId = organisationOf(body);
  if (organisationId === undefined) return undefined;
  const own = body.enterprise_id === organisationId ? body.team_id : undefined;
  const [seen] = body.authorizations ?? [];
  return { spaces: workspaces(body.context_team_id, seen?.team_id, own), organisationId };
};

/**
 * The space through which the app is told of an event: one that has the app, a workspace rather than
 * an organisation. Undefined where Slack named none.
 */
export const originOf = (
  body: EventBody,
  isInstalled: (space: Space) => boolean,
): Space | undefined => {
  const [seen] = body.authorizations ?? [];
  const ids = [body.context_team_id, seen?.team_id, body.team_id, organisationOf(body)];
  const named = ids.flatMap((id) => (id ? [spaceOf(id)] : []));
  const installed = named.filter(isInstalled);
  return installed.find((space) => !isOrganisation(space)) ?? installed[0] ?? named[0];
};

const interaction = z.object({
  is_enterprise_install: z.union([z.literal(true), z.literal('true')]),
  team_id: z.string().nullish(),
  team: z.object({ id: z.string() }).nullish(),
  user: z.object({ team_id: z.string().nullish() }).nullish(),
  enterprise_id: z.string().nullish(),
  enterprise: z.object({ id: z.string() }).nullish(),
});

/** The workspace of a command or interaction, where it uses its organisation's installation. */
export const membershipOfUse = (body: unknown): Membership | undefined => {
  const { data } = interaction.safeParse(body);
  const organisationId = data?.enterprise?.id ?? data?.enterprise_id;
  if (!data || !organisationId) return undefined;
  const id = data.team_id ?? data.team?.id ?? data.user?.team_id;
  return { spaces: workspaces(id), organisationId };
};

/** Creates what says where an event happened, as the core knows the place. */
export const createEventPlaces = (
  listener: Pick<ChannelFeedListener, 'spaceOf'>,
  installations: Pick<Installations, 'known'>,
) => {
  const isInstalled = (space: Space): boolean => installations.known(space) !== undefined;
  return {
    /** The space through which the app is told of an event; undefined where Slack named none. */
    space: (body: EventBody) => originOf(body, isInstalled),
    /** A channel of an event, in the space that it is watched in: several may share it. */
    channel: (space: Space, id: string): Channel => {
      const channel = channelOf(space.id, id);
      const holder = listener.spaceOf(channel);
      return isInstalled(holder) ? { ...channel, space: holder } : channel;
    },
  };
};
