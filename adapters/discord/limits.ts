import { ChannelType } from 'discord.js';
import type { Capabilities } from '../../src/ports/platform.ts';

/** Limits of Discord, each with the section of the reference that states it. */

/** Characters of a message: "Create Message", `content`. */
export const CONTENT_CHARS = 2_000;
/** Characters of a nonce: "Create Message", `nonce`. */
export const NONCE_CHARS = 25;
/** Characters of a file's description: "Attachment Object", `description`. */
export const ALT_TEXT_CHARS = 1_024;
/** Files in one message: "JSON Error Codes", 30015. */
export const FILES = 10;
/**
 * Bytes of each file in a server without boosts: "Uploading Files". Applied here to all files of a
 * message together.
 */
export const FILES_BYTES = 10 * 1_048_576;

/** Limits of one message: "Component Reference", "Action Row", "Button", "String Select". */
export const CAPABILITIES: Capabilities = {
  choices: 25,
  controlRows: 5,
  rowButtons: 5,
  labelChars: 80,
  roles: true,
  fileBytes: FILES_BYTES,
  restrictsByAge: true,
};
/** Characters of a modal's title and of its labels: "Modal", `title`; "Label", `label`. */
export const FORM_CHARS = 45;
/** Characters of the words beneath a label: "Label", `description`. */
export const HINT_CHARS = 100;
/** Characters of a text input: "Text Input", `max_length`. */
export const FIELD_CHARS = 4_000;
/** Characters of a select's placeholder: "String Select", `placeholder`. */
export const PLACEHOLDER_CHARS = 150;
/** Characters of a select's option: "Select Option Structure", `label`. */
export const OPTION_CHARS = 100;
/** Characters of a command option's choice: "Application Command Option Choice Structure", `name`. */
export const CHOICE_CHARS = 100;

/**
 * Further messages of one interaction when only the user's account has the app: "Create Followup
 * Message".
 */
export const FOLLOW_UPS = 5;

/** Characters of a webhook's name: "Execute Webhook", `username`. */
export const WEBHOOK_NAME_CHARS = 80;
/** Webhooks in one channel: "JSON Error Codes", 30007. */
export const WEBHOOKS = 15;
/** Rate of each webhook; sometimes announced in headers. */
export const WEBHOOK_BURST = { posts: 5, windowMs: 2_000 } as const;
/** Rate of all webhooks of a channel together; in no header (discord-api-docs #1454). */
export const WEBHOOK_STEADY = { posts: 30, windowMs: 60_000 } as const;

/** Messages of one page: "Get Channel Messages". */
export const MESSAGES_PAGE = 100;
/** Pins of one page, and of a channel: "Get Channel Pins", "Pin Message". */
export const PINS_PAGE = 50;
export const MOST_PINS = 250;
/** Reactions of one page: "Get Reactions". */
export const REACTIONS_PAGE = 100;
/** Threads of one page: "List Public Archived Threads". */
export const THREADS_PAGE = 100;
/** Servers of one page: "Get Current User Guilds". */
export const GUILDS_PAGE = 200;
/** Characters of a channel's or thread's name: "Channel Object", `name`. */
export const CHANNEL_NAME_CHARS = 100;

/** Characters of a role's name: "Role Object", `name`. */
export const ROLE_NAME_CHARS = 100;
/** Channels of a server, categories included: "JSON Error Codes", 30013. */
export const GUILD_CHANNELS = 500;
/** Channels of a category: "Channels", "Category limits" (support.discord.com, "Channel Categories 101"). */
export const CATEGORY_CHANNELS = 50;
/** Roles of a server: "JSON Error Codes", 30005. */
export const GUILD_ROLES = 250;
/** Active threads of a server: "Threads", "Limits" (support.discord.com, "Threads FAQ"). */
export const ACTIVE_THREADS = 1_000;

/** Pattern of command names: "Application Command Naming". */
export const COMMAND_NAME = /^[-_'\p{L}\p{N}\p{sc=Deva}\p{sc=Thai}]{1,32}$/u;
/** Characters of an entry in the message menu: "Application Command Object", `name`. */
export const MENU_NAME_CHARS = 32;
/**
 * Characters of a description: "Application Command Object" and "Application Command Option
 * Structure", `description`.
 */
export const DESCRIPTION_CHARS = 100;
/** Characters of all texts of a command together: "Application Commands", "Limits". */
export const COMMAND_TEXTS_CHARS = 8_000;
/** Characters of a text option: "Application Command Option Structure", `max_length`. */
export const OPTION_TEXT_CHARS = 6_000;

/** Types of voice channels: "Channel Types". */
export const VOICE_CHANNEL_TYPES = [ChannelType.GuildVoice, ChannelType.GuildStageVoice] as const;
