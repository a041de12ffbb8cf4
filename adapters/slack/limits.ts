import { MINUTE_MS } from '../../src/async/clock.ts';
import type { Capabilities } from '../../src/ports/platform.ts';

/** Limits of Slack, each with the page of docs.slack.dev that states it. */

/**
 * UTF-8 bytes of a message's text: "chat.update" refuses more, and a message must stay one that can be
 * updated.
 */
export const TEXT_BYTES = 4_000;
/** Blocks of one message: "Blocks". */
export const MESSAGE_BLOCKS = 50;
/** Blocks of a modal or of App Home: "Views". */
export const VIEW_BLOCKS = 100;
/** Characters of a header: "Header block". */
export const HEADER_CHARS = 150;
/** Characters of a button's text, of an option's text: "Button element", "Option object". */
export const LABEL_CHARS = 75;
/** Characters of an option's value: "Option object". */
export const VALUE_CHARS = 150;
/** Characters of a placeholder: "Select menu element". */
export const PLACEHOLDER_CHARS = 150;
/** Options of a menu: "Select menu element". */
export const OPTIONS = 100;
/** Characters of an action's or block's id: "Block elements". */
export const ID_CHARS = 255;
/** Characters of a view's title and of its buttons: "Views". */
export const TITLE_CHARS = 24;
/** Characters of a field's label and hint: "Input block" (2,000); short ones are read. */
export const HINT_CHARS = 300;
/** Characters of a text field's value: "Plain-text input element". */
export const INPUT_CHARS = 3_000;
/** Elements of a context block, and characters of each: "Context block", "Text object". */
export const CONTEXT_ELEMENTS = 10;
export const CONTEXT_CHARS = 3_000;
/** Depth of a list within others: "Rich text block", `indent`. */
export const LIST_INDENT = 8;
/** Characters of the name above a message: "chat.postMessage", `username`. */
export const USERNAME_CHARS = 80;
/** Characters of one part of a stream: "chat.appendStream". */
export const STREAM_CHARS = 12_000;
/** Characters of a file's description: "files.getUploadURLExternal", `alt_txt`. */
export const ALT_TEXT_CHARS = 1_000;
/** Uses of a `response_url`, and its life: "Handling user interaction". */
export const RESPONSE_URL_USES = 5;
export const RESPONSE_URL_MS = 30 * MINUTE_MS;
/** Age of a request that is still accepted: "Verifying requests from Slack". */
export const REQUEST_AGE_S = 300;
/** Bytes of a request's body; Slack's own are far smaller. */
export const REQUEST_BYTES = 1_048_576;

/** Time between two updates of a growing answer; `chat.update` is tier 3, 50 a minute. */
export const UPDATE_EVERY_MS = 1_200;
/** Messages of one page: "conversations.history", recommended. */
export const HISTORY_PAGE = 200;
/** Characters of a channel's name: "conversations.create". */
export const CHANNEL_NAME_CHARS = 80;
/** Channels of one page: "users.conversations". */
export const CHANNELS_PAGE = 200;

/** Bytes of all files of one message: what is held in memory, not Slack's limit of 1 GB. */
export const FILES_BYTES = 25 * 1_048_576;
/** Files of one message. */
export const FILES = 10;

/** Limits of one message: "Blocks", "Actions block". */
export const CAPABILITIES: Capabilities = {
  choices: OPTIONS,
  controlRows: 10,
  rowButtons: 5,
  labelChars: LABEL_CHARS,
  roles: false,
  fileBytes: FILES_BYTES,
  repliesInThreads: true,
};

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
  'conversations.archive': TIER_2,
  'conversations.create': TIER_2,
  'conversations.history': TIER_3,
  'conversations.info': TIER_3,
  'conversations.members': TIER_4,
  'conversations.open': TIER_3,
  'conversations.replies': TIER_3,
  'files.completeUploadExternal': TIER_4,
  'files.delete': TIER_3,
  'files.getUploadURLExternal': TIER_4,
  'files.info': TIER_4,
  'pins.add': TIER_2,
  'pins.remove': TIER_2,
  'reactions.add': TIER_3,
  'reactions.get': TIER_3,
  'reactions.remove': TIER_2,
  'usergroups.list': TIER_2,
  'usergroups.users.list': TIER_2,
  'users.conversations': TIER_3,
  'users.info': TIER_4,
  'users.list': TIER_2,
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

/**
 * Posts in one channel: "Rate limits", "Posting messages". 40 ms more than the second that is stated, as requests do not
 * travel equally fast.
 */
export const POSTS: Rate = { calls: 1, perMs: 1_040 };

/**
 * History of apps that are distributed commercially outside the Marketplace: one request a minute and
 * method, 15 messages each (docs.slack.dev, changelog of 2025-05-29). A second more, as requests do
 * not travel equally fast.
 */
export const LIMITED_HISTORY: Rate = { calls: 1, perMs: MINUTE_MS + 1_000 };
export const LIMITED_PAGE = 15;
export const HISTORY_METHODS = ['conversations.history', 'conversations.replies'] as const;

export const isHistory = (method: SlackMethod): boolean =>
  HISTORY_METHODS.some((history) => history === method);
