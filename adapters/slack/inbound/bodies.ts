import { z } from 'zod';

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
