import type { Schema } from '../src/store/schema.ts';
import {
  AUDIT_DAYS,
  DELIVERY_HOURS,
  PROPOSAL_DAYS,
  ROOM_DAYS,
  STATE_DAYS,
  UNDO_MINUTES,
  USAGE_DAYS,
} from '../src/store/privacy/tables.ts';

/** The purpose of a table, whose data it holds and for how long, as docs/privacy.md says. */
export interface TableData {
  readonly title: string;
  readonly stored: string;
  readonly about: string;
  readonly why: string;
  readonly kept: string;
  /** The fate of a person's data when they have it deleted; undefined where the table holds none. */
  readonly forgotten?: string;
  /** The fate of a space's data when it is removed, where it is not just deleted. */
  readonly removed?: string;
}

const OUTCOME_KEPT = '`INBOX_DAYS`';
const NAMED_IN_RULES =
  'The ID of somebody whom a rule names stays until moderators end the rule, so that it holds.';
const COPIES_KEPT = '`COPY_DAYS` after the translation was posted';

/** Every table: one that is missing here does not compile. */
export const DATA_CATALOGUE: Readonly<Record<keyof Schema, TableData>> = {
  member_setting: {
    title: 'Choices of a person',
    stored: 'Language, voice, whether answers mention the person, and whether they opted out.',
    about: 'Everybody who chose one of them.',
    why: 'To answer in that language and voice, and to leave people alone who opted out.',
    kept: 'Until it is changed.',
    forgotten:
      'Deleted. The ID and the opt-out of somebody who opted out stay, so that the opt-out holds.',
    removed:
      'Deleted on Slack, where people belong to a workspace. On Discord it holds on every server, and stays.',
  },
  room_consent: {
    title: 'Choices about voice channels',
    stored: 'Whether the person may be heard in the voice channels of a server.',
    about: 'Everybody who pressed one of the buttons under the notice.',
    why: 'To hear nobody who does not want it.',
    kept: 'Until it is changed.',
    forgotten:
      'Deleted. The ID and the refusal of somebody who refused stay, so that the refusal holds.',
  },
  usage_day: {
    title: 'Usage per day',
    stored: 'Numbers of characters, milliseconds of audio, chat tokens and messages. No content.',
    about: 'Everybody who uses Dragoman.',
    why: 'To apply limits, and to show people and moderators what was used.',
    kept: `${USAGE_DAYS} days for each person; after that, only as the total of everybody together.`,
    forgotten: 'Added to the total of everybody together.',
  },
  inbox: {
    title: 'Messages to translate',
    stored:
      'The message with its author’s ID and name until it is translated or skipped. After that, and while an edit waits for the end of a pause, no text: the IDs, the outcome and a hash.',
    about: 'Everybody who writes in a channel with auto-translate, or whose message gets a flag.',
    why: 'So that no message is lost or posted twice, and edits are noticed.',
    kept: `${OUTCOME_KEPT} after the outcome. The text only until the outcome. An edit that waits for the end of a pause: until that, or as long as the place of its translation is stored.`,
    forgotten:
      'Deleted. What still waits is cancelled: its text and author go at once, the row as soon as it is dealt with.',
  },
  delivery: {
    title: 'Events of Slack',
    stored: 'The event as Slack sent it until it is handled. After that, its ID.',
    about: 'Everybody who writes or acts in a place that Dragoman is in.',
    why: 'So that no event is lost, or handled twice when Slack repeats it.',
    kept: `${DELIVERY_HOURS} hours. The event itself only until it is handled.`,
    forgotten:
      'What the person wrote is deleted. An event that names them otherwise, such as a reaction, goes once it is handled. The event’s ID stays.',
  },
  open_answer: {
    title: 'Answers that are awaited',
    stored:
      'Where an answer to a command or question is to come: IDs, and the address that the platform gave for it, which is good for minutes. No content.',
    about: 'Everybody who uses a command on Discord or Slack.',
    why: 'To tell them when a restart interrupted it.',
    kept: `Until the answer has come; ${STATE_DAYS} day at most.`,
    forgotten: 'Deleted.',
  },
  pending_import: {
    title: 'Glossary files to import',
    stored: 'The file, and who gave it.',
    about: 'Moderators who import a glossary.',
    why: 'To write what they saw in the preview, once they press _Import_.',
    kept: `Until they press _Import_ or _Cancel_; ${STATE_DAYS} day at most.`,
    forgotten: 'Deleted.',
  },
  setup: {
    title: 'Channels that are being made',
    stored:
      'The channels, languages and roles that a moderator chose in the wizard, and IDs of what was made.',
    about: 'Nobody; it is about channels.',
    why: 'So that what was interrupted can be finished or undone.',
    kept: `Until it is made or undone. What was only chosen: ${STATE_DAYS} day.`,
  },
  watch_undo: {
    title: 'Auto-translate that was turned off',
    stored:
      'The channels, their languages, rules and pauses, as they were before. Of people whom a rule names: their ID.',
    about: 'People whom a rule of moderators names; the rest is about channels.',
    why: 'So that moderators can set back what they turned off (_Undo_).',
    kept: `Until it is set back; ${UNDO_MINUTES} minutes at most, and deleted within two hours after.`,
    forgotten: 'The ID of somebody whom a rule names stays for as long.',
  },
  glossary_proposal: {
    title: 'Proposals for the glossary',
    stored: 'The term, its translation, who proposed it, and in which channel.',
    about: 'Members who propose a better translation.',
    why: 'So that moderators can accept or refuse it.',
    kept: `Until a moderator decides; ${PROPOSAL_DAYS} days at most. An accepted one, without who proposed it, until it is announced; ${STATE_DAYS} day at most.`,
    forgotten: 'Deleted.',
  },
  blocked_author: {
    title: 'People whose copies are stopped',
    stored: 'A hash of the ID and the name of the person, and whether the server banned them.',
    about:
      'People of linked servers and workspaces whose copies moderators stopped, or who were banned.',
    why: 'So that their messages are not copied into the channels of that server or workspace.',
    kept: 'Until moderators show the copies again, or the ban ends.',
    forgotten: 'Stays without the name, so that it holds.',
  },
  audit_entry: {
    title: 'Changes of links and settings',
    stored:
      'Who changed what, when, and what was set before and after. Of linked channels of others, and of moderators there: the name of the channel and of their server or workspace, no ID. Of people elsewhere who asked for a link: their name, until they have their data deleted. Of people whose copies were stopped: their name, or ID. Of people whom a rule names: their ID.',
    about: 'Moderators, and people about whom they decided.',
    why: 'So that moderators can look up who changed what (`/audit`), and so that the rules of a channel apply again where auto-translate is turned on anew, and moderators can bring back the setup that a link replaced.',
    kept: `${AUDIT_DAYS} days.`,
    forgotten: 'Stays, without the person.',
  },
  mirror: {
    title: 'Translations of messages',
    stored:
      'Which translation belongs to which message, and which models made it, and whether it is pinned: IDs, names of models and a hash. No text, no author.',
    about: 'Everybody whose message was translated.',
    why: 'So that a translation follows edits and deletions of its message, and its readers can ask which engine made it.',
    kept: `${COPIES_KEPT}.`,
    forgotten:
      'Stays, without anything that names the person, so that deleting a message still deletes its translations.',
  },
  mirror_message: {
    title: 'Messages that Dragoman posted',
    stored: 'The messages that each of its own messages translates: IDs.',
    about: 'Everybody whose message was translated.',
    why: 'So that replies and commands on a translation reach its message.',
    kept: `${COPIES_KEPT}.`,
    forgotten: 'Stays, without anything that names the person.',
  },
  standing_thread: {
    title: 'Threads of translations',
    stored: 'In which thread a channel’s translations into a language stand: IDs.',
    about: 'Nobody; it is about a channel.',
    why: 'To go on in the same thread, whatever it is called.',
    kept: 'Until auto-translate is turned off in the channel, or the space is removed.',
  },
  linked_thread: {
    title: 'Threads of linked channels',
    stored:
      'Which threads of linked channels are one conversation, and whether each is archived or locked: IDs, and a hash of its name.',
    about: 'Nobody; it is about threads.',
    why: 'So that what is written in one of them is copied into the others.',
    kept: 'Until auto-translate is turned off in the channel, or the space is removed.',
  },
  copied_reaction: {
    title: 'Reactions of linked channels',
    stored:
      'How many people have reacted elsewhere to a message of linked channels, by emoji, and whether Dragoman’s own reaction stands for them: the message’s IDs, and hashes of those of its copies.',
    about: 'Nobody; it does not say who reacted.',
    why: 'To show reactions of one channel in the others, and to take them away again.',
    kept: '`COPY_DAYS` after the last change.',
  },
  channel_watch: {
    title: 'Channels with auto-translate',
    stored:
      'The channel’s ID, its languages, options and rules, and the channels it is linked with. Of people whom a rule names: their ID.',
    about: 'People whom a rule of moderators names; the rest is about a channel.',
    why: 'To know what to translate.',
    kept: 'Until auto-translate is turned off, or the space is removed.',
    forgotten: NAMED_IN_RULES,
  },
  channel_cursor: {
    title: 'How far channels were read',
    stored: 'The position of the last message that was read in a channel with auto-translate.',
    about: 'Nobody; it is about a channel.',
    why: 'To catch up after a time away.',
    kept: `${OUTCOME_KEPT} after the channel’s last message.`,
  },
  history_gap: {
    title: 'Times that could not be caught up',
    stored: 'From when to when messages of a channel were missed, and why.',
    about: 'Nobody; it is about a channel.',
    why: 'To tell moderators what is missing.',
    kept: `${OUTCOME_KEPT} after their end.`,
  },
  link_invite: {
    title: 'Codes to link channels',
    stored: 'A hash of the code, the options of the channel that it is for, and who made it.',
    about: 'The moderator who made it.',
    why: 'To link two channels of different servers or workspaces, and to say who asks.',
    kept: 'Until the code is used. After an hour it is void, and deleted within another.',
    forgotten: 'Stays, without who made it.',
  },
  link_request: {
    title: 'Links that were asked for',
    stored: 'The options of both channels, and who asks.',
    about: 'The moderator who used a code.',
    why: 'To link channels once moderators of both sides have agreed.',
    kept: 'Until it is answered and its question shows that. After a day it is void, and deleted within 25 hours.',
    forgotten: 'Stays, without who asks.',
  },
  glossary_term: {
    title: 'Glossary',
    stored: 'Terms and how they are translated, of a space or of one channel.',
    about: 'Nobody, unless moderators enter names.',
    why: 'To translate terms as the space wants it.',
    kept: 'Until they are removed, or the space is.',
  },
  space_setting: {
    title: 'Settings of a space',
    stored:
      'What moderators set up: flags, limits, quiet channels, roles, voice channels, rules. Of people whom a rule names: their ID.',
    about: 'People whom a rule of moderators names; the rest is about a server or workspace.',
    why: 'To work as the space wants it.',
    kept: 'Until they are changed, or the space is removed.',
    forgotten: NAMED_IN_RULES,
  },
  space_key: {
    title: 'API key of a space',
    stored: 'The key, encrypted with AES-256-GCM, and who set it, with their name.',
    about: 'The moderator who set it.',
    why: 'To use the space’s own account with the AI service.',
    kept: 'Until it is replaced or removed, or the space is.',
    forgotten: 'The key stays, without who set it.',
  },
  installation: {
    title: 'Workspaces that installed the app',
    stored:
      'The bot’s token and IDs from Slack, and when it was installed, encrypted with AES-256-GCM.',
    about: 'Nobody; it is about a workspace.',
    why: 'To work in more than one workspace.',
    kept: 'Until the app is removed from the workspace.',
  },
  open_room: {
    title: 'Voice channels that Dragoman is in',
    stored: 'The channel’s ID, the options of its captions, and who started them.',
    about: 'The person who started captions.',
    why: 'To come back after a restart.',
    kept: `Until Dragoman leaves; after a crash, ${ROOM_DAYS} days.`,
    forgotten: 'Stays, without who started captions.',
  },
  open_room_informed: {
    title: 'People who were notified',
    stored: 'Who was notified in the voice channel that Dragoman is in: IDs.',
    about: 'Everybody in that voice channel.',
    why: 'To hear nobody who was not notified, and to notify nobody twice after a restart.',
    kept: `Until Dragoman leaves; after a crash, ${ROOM_DAYS} days.`,
    forgotten: 'Deleted.',
  },
  quota: {
    title: 'Rates that processes share',
    stored:
      'How much of a rate of Discord or Slack is used up; of Slack, with the ID of the workspace. Only in PostgreSQL.',
    about: 'Nobody.',
    why: 'So that all processes together keep within it.',
    kept: 'About two hours at most after its last use.',
    removed: 'What names it is deleted.',
  },
  agreement: {
    title: 'Numbers that processes share',
    stored:
      'Numbers such as that of the connections to Discord. Which histories must still be read, with the ID of the channel, the server or the workspace.',
    about: 'Nobody.',
    why: 'So that all processes do the same.',
    kept: 'As long as the database. Entries of histories stay until all of these were read; of linked channels, about two hours at most.',
    removed: 'What names it or a channel of it is deleted.',
  },
  shared_state: {
    title: 'The pace of requests to the service',
    stored:
      'How many requests the AI service takes with a key, which is named by a keyed digest. Only in PostgreSQL.',
    about: 'Nobody.',
    why: 'So that all processes together keep within it.',
    kept: `${STATE_DAYS} day after the key was last used.`,
  },
  revision: {
    title: 'Numbers of changes',
    stored: 'How often settings, glossaries and the like were changed, but not whose.',
    about: 'Nobody.',
    why: 'So that every process knows of changes.',
    kept: 'As long as the database.',
  },
  left_space: {
    title: 'Servers and workspaces that were left',
    stored: 'The ID of a server or workspace from which Dragoman was removed. Only in PostgreSQL.',
    about: 'Nobody.',
    why: 'So that work which is under way in another process stores nothing more of it.',
    kept: 'One to two hours.',
    removed: 'Its ID is stored then, for one to two hours.',
  },
  lease: {
    title: 'Processes',
    stored:
      'Which process does what, and how often one was started. Only in PostgreSQL, also for which server, workspace or channel: its ID.',
    about: 'Nobody.',
    why: 'So that two processes never do the same work.',
    kept: 'Entries that name a server, workspace or channel: about two hours after the work has ended, or as long as Dragoman can come back to that voice channel. The rest: as long as the database.',
    removed:
      'Entries that name it or a channel of it are deleted, at the latest about two hours after all work on it has ended.',
  },
  machine: {
    title: 'Start of the machine',
    stored: 'The number of the machine’s last start.',
    about: 'Nobody.',
    why: 'To know after a power failure what may have been lost.',
    kept: 'As long as the database.',
  },
  restoration: {
    title: 'Return from a backup',
    stored: 'When the database was used for the first time after it came from a backup.',
    about: 'Nobody.',
    why: 'So that nothing is posted again that was posted after the backup was made.',
    kept: 'As long as the database.',
  },
};
