import { z } from 'zod';
import { spaceOf } from '../ids.ts';
import { viewState } from './modal.ts';
import type { Space } from '../../../src/model/place.ts';

/** Payloads of Slack when people use the app, as far as they are read here: docs.slack.dev, "Interactivity". */

/** A slash command: "Slash commands". */
export const slash = z.looseObject({
  team_id: z.string(),
  channel_id: z.string(),
  user_id: z.string(),
  user_name: z.string().optional(),
  command: z.string(),
  text: z.string().optional(),
  trigger_id: z.string(),
  response_url: z.string(),
});

const team = z.looseObject({ id: z.string() }).nullish();
const user = z.looseObject({
  id: z.string(),
  name: z.string().optional(),
  team_id: z.string().optional(),
});
const place = z.looseObject({ id: z.string() });

/** A shortcut of a message, or of the whole workspace: "Shortcuts". */
export const shortcut = z.looseObject({
  callback_id: z.string(),
  team,
  user,
  trigger_id: z.string(),
  channel: place.optional(),
  message: z.unknown().optional(),
  response_url: z.string().optional(),
});

const chosen = z.looseObject({ value: z.string() });
const action = z.looseObject({
  action_id: z.string(),
  type: z.string(),
  block_id: z.string().optional(),
  selected_option: chosen.nullish(),
  selected_options: z.array(chosen).nullish(),
  selected_conversations: z.array(z.string()).nullish(),
});
/** A press of a control: "block_actions". */
export const actions = z.looseObject({
  team,
  user,
  channel: place.optional(),
  container: z.looseObject({
    type: z.string(),
    message_ts: z.string().optional(),
    thread_ts: z.string().optional(),
    is_ephemeral: z.boolean().optional(),
  }),
  response_url: z.string().optional(),
  trigger_id: z.string(),
  actions: z.array(action),
});

/** A modal that was sent: "view_submission". */
export const submission = z.looseObject({
  team,
  user,
  view: z.looseObject({ private_metadata: z.string(), state: viewState }),
});

/** The request for choices while somebody types: "block_suggestion". */
export const suggestion = z.looseObject({
  team,
  user,
  block_id: z.string(),
  value: z.string().optional(),
  view: z.looseObject({ private_metadata: z.string() }).optional(),
});

/** The workspace in which somebody used the app. */
export const teamOf = (given: {
  team?: { id: string } | null | undefined;
  user: { team_id?: string | undefined };
}): Space => spaceOf(given.team?.id ?? given.user.team_id ?? '');
