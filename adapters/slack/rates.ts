import { MINUTE_MS } from '../../src/async/clock.ts';

/** Number of calls in a time, of one method by one app in one workspace. */
export interface Rate {
  readonly calls: number;
  readonly perMs: number;
}

const perMinute = (calls: number): Rate => ({ calls, perMs: MINUTE_MS });

/** Tiers of methods: docs.slack.dev, "Rate limits". */
const TIER_2 = perMinute(20);
const TIER_3 = perMinute(50);
const TIER_4 = perMinute(100);
/** "Several hundred messages per minute" of a workspace: "chat.postMessage". */
const SPECIAL = perMinute(300);

/** The methods of the Web API that are called as the bot of a workspace, each with its rate as its page on docs.slack.dev states it. */
export const RATES = {
  'assistant.threads.setStatus': SPECIAL,
  'chat.appendStream': TIER_4,
  'chat.delete': TIER_3,
  'chat.postEphemeral': TIER_4,
  'chat.postMessage': SPECIAL,
  'chat.startStream': TIER_2,
  'chat.stopStream': TIER_2,
  'chat.update': TIER_3,
  'conversations.history': TIER_3,
  'conversations.info': TIER_3,
  'conversations.members': TIER_4,
  'conversations.open': TIER_3,
  'conversations.replies': TIER_3,
  'files.completeUploadExternal': TIER_4,
  'files.delete': TIER_3,
  'files.getUploadURLExternal': TIER_4,
  'files.info': TIER_4,
  'reactions.get': TIER_3,
  'usergroups.list': TIER_2,
  'users.conversations': TIER_3,
  'users.info': TIER_4,
  'views.open': TIER_4,
  'views.publish': TIER_4,
} as const satisfies Readonly<Record<string, Rate>>;

export type SlackMethod = keyof typeof RATES;

/** Methods by which only people are answered, who wait for it. */
export const ANSWERS: ReadonlySet<SlackMethod> = new Set<SlackMethod>([
  'assistant.threads.setStatus',
  'chat.appendStream',
  'chat.postEphemeral',
  'chat.startStream',
  'chat.stopStream',
  'conversations.open',
  'views.open',
  'views.publish',
]);

/** Posts in one channel: "Rate limits", "Posting messages". */
export const POSTS: Rate = { calls: 1, perMs: 1_000 };

/**
 * History of apps that are distributed commercially outside the Marketplace: one request a minute and
 * method, 15 messages each (docs.slack.dev, changelog of 2025-05-29). A second more, as requests do
 * not travel equally fast.
 */
export const LIMITED_HISTORY: Rate = { calls: 1, perMs: MINUTE_MS + 1_000 };
export const LIMITED_PAGE = 15;
export const HISTORY_METHODS = ['conversations.history', 'conversations.replies'] as const;

/** True for the methods that read messages. */
export const isHistory = (method: SlackMethod): boolean =>
  HISTORY_METHODS.some((history) => history === method);
