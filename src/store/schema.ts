import type { Generated } from 'kysely';
import type { MessageTables } from './schema-messages.ts';
import type { ProcessTables } from './schema-processes.ts';

/** The tables' types for Kysely. Times are milliseconds since 1970; lists and records are JSON. */
export interface Schema extends MessageTables, ProcessTables {
  glossary_term: {
    platform: string;
    /**
     * Id of the space; for a channel's own terms, the ids of the space and the channel with a slash
     * between.
     */
    space_id: string;
    /** The term folded for comparison (`foldText`); unique with `language` and `copy` within a space. */
    term_key: string;
    /** Language code; empty for all languages. */
    language: string;
    /**
     * 0 for the entry. Larger for other spellings of it from a time in which they were entries: they
     * are listed until the entry is changed or removed.
     */
    copy: number;
    term: string;
    translation: string | null;
  };
  member_setting: {
    platform: string;
    member_id: string;
    /** Id of the space that the person belongs to; null where people belong to none. */
    space_id: Generated<string | null>;
    language: string | null;
    voice_id: string | null;
    /** 1 when the member opted out, else 0. */
    opted_out: Generated<number>;
    /** 0 when answers to copies of the member's messages do not mention them, else 1. */
    answer_mentions: Generated<number>;
  };
  space_setting: {
    platform: string;
    space_id: string;
    /** JSON of the `SpaceChoices` that were changed. */
    choices: string;
  };
  usage_day: {
    platform: string;
    space_id: string;
    /** Date in UTC, `YYYY-MM-DD`. */
    day: string;
    /** Id of a member; empty for the total of people who are no longer named. */
    member_id: string;
    characters: number;
    audio_ms: number;
    /** Tokens of the language model. */
    chat_tokens: number;
    messages: number;
  };
  channel_watch: {
    platform: string;
    channel_id: string;
    space_id: string;
    /** Id of a thread's channel; null when the channel is no thread. */
    parent_id: string | null;
    mode: string;
    languages: string;
    group_id: string | null;
    /** 1 when audio files are transcribed, else 0. */
    transcribes: number;
    bots: number;
    /** 1 when translations stand below their messages, else 0. */
    below: number;
    /** JSON of the `WatchChoices` that were made. */
    choices: Generated<string>;
    since_ms: number;
    /** Time since which threads of linked channels are copied; 0 where they were from the beginning. */
    threads_since_ms: Generated<number>;
  };
  channel_cursor: {
    platform: string;
    channel_id: string;
    space_id: string;
    parent_id: string | null;
    /** Position up to which all messages are in the inbox, or were before they were cleared. */
    position: string;
  };
  room_consent: {
    platform: string;
    space_id: string;
    member_id: string;
    /** 1 when the member allowed it, 0 when they refused. */
    is_heard: number;
  };
  /** A room that the bot is in; the row is deleted when it leaves. */
  open_room: {
    platform: string;
    space_id: string;
    channel_id: string;
    locale: string;
    /** 1 when nobody asked the bot to join, else 0. */
    is_automatic: number;
    /** JSON of the captions without the member who started them; null when there are none. */
    captions: string | null;
    /** Id of the member who started the captions. */
    started_by: string | null;
    /** The use of speech of which the members in `open_room_informed` were informed. */
    informed_of: string | null;
    /** Time at which the process in the room was last known to work. */
    seen_ms: number;
    /** Epoch of the tenure under which the process is in the room. */
    epoch: number;
  };
  open_room_informed: {
    platform: string;
    space_id: string;
    member_id: string;
  };
  installation: {
    platform: string;
    space_id: string;
    /** The platform's tokens for the space, encrypted; see `encryption.ts`. */
    secret: string;
  };
  /** The service key that a space brought. */
  space_key: {
    platform: string;
    space_id: string;
    /** The key, encrypted; see `encryption.ts`. */
    secret: string;
    /** Id and name of the person who set it; null where they had their data deleted. */
    set_by: string | null;
    set_by_name: string | null;
    set_ms: number;
  };
  /** An invitation to link a channel with one elsewhere; deleted when it is used. */
  link_invite: {
    /** SHA-256 of the code. */
    code_hash: string;
    platform: string;
    space_id: string;
    /** JSON of the `ChannelWatch` that begins or belongs to the group. */
    watch: string;
    /** Id and name of the person who made it; null where they had their data deleted. */
    made_by: string | null;
    made_by_name: string | null;
    expires_ms: number;
  };
  /** A link that the user of a code asks for; deleted when it is answered. */
  link_request: {
    id: string;
    /** The space that made the code, and answers. */
    platform: string;
    space_id: string;
    /** The space that asks. */
    from_platform: string;
    from_space_id: string;
    code_hash: string;
    /**
     * `drafted` until the person has seen the other side and agreed; `asked` until the question stands there; `ended` from the
     * answer on, until the question shows it.
     */
    state: 'drafted' | 'asked' | 'told' | 'ended';
    /** JSON of the two watches, and of what was agreed with them. */
    request: string;
    /** Id and name of the person who asks; null where they had their data deleted. */
    asked_by: string | null;
    asked_by_name: string | null;
    expires_ms: number;
  };
  /** The file of a glossary that a moderator has not decided on yet. */
  pending_import: {
    id: string;
    platform: string;
    space_id: string;
    author_id: string;
    /** JSON of the space or channel into whose glossary it goes. */
    place: string;
    /** The language of translations where the file gives none. */
    language: string | null;
    /** The file, in base64. */
    file: string;
    since_ms: number;
  };
  /** An entry of the glossary that a member proposes. */
  glossary_proposal: {
    id: string;
    platform: string;
    space_id: string;
    author_id: string;
    proposed_term: string;
    language: string | null;
    proposed_translation: string;
    since_ms: number;
    /** The channel in which it was proposed, and the one that its thread belongs to; empty for none. */
    channel_id: Generated<string>;
    parent_id: Generated<string>;
    /** 1 once it was accepted, at `since_ms`, and is to be announced, without its author; else 0. */
    accepted: Generated<number>;
  };
  /** A person of another space whose messages are not copied into the channels of a space. */
  blocked_author: {
    platform: string;
    space_id: string;
    /** SHA-256 of the person's platform and id: it holds though they have their data deleted. */
    author_hash: string;
    /** The person's name, or id, as moderators saw it; null where it is not known, or they had their data deleted. */
    author_name: string | null;
    /** 1 where the space's own platform banned the person there, 0 where moderators decided it. */
    is_ban: number;
    since_ms: number;
  };
  /** A change of a space's links or settings. */
  audit_entry: {
    id: string;
    platform: string;
    space_id: string;
    /** Id and name of the person who made it; null where nobody did, or they had their data deleted. */
    changed_by: string | null;
    changed_by_name: string | null;
    /** One of `AUDITED`, for a setting with its name after a colon. */
    what: string;
    channel_id: string | null;
    /** The `author_hash` of the person whom it is about; null for none. */
    about_hash: string | null;
    /** JSON of what was before; null for nothing. */
    before: string | null;
    after: string | null;
    at_ms: number;
  };
  /** The choices of a moderator in the wizard, until they are made. */
  setup: {
    id: string;
    platform: string;
    space_id: string;
    /** JSON of `Setup`, without its id. */
    setup: string;
    /** 1 once something may have been made. */
    is_begun: number;
    since_ms: number;
  };
  /** An undo of what was turned off a moment ago, deleted when it is used. */
  watch_undo: {
    /** The id of the `audit_entry` about it, too. */
    id: string;
    platform: string;
    space_id: string;
    /** JSON of the former watches. */
    watches: string;
    /** 1 where it may link age-restricted channels with others, else 0. */
    mixes_ages: number;
    /** 1 where only the rules of a channel ended, else 0. */
    of_rules: number;
    expires_ms: number;
  };
  /** A time in which messages of a channel were missed, and could not be read afterwards. */
  history_gap: {
    platform: string;
    channel_id: string;
    from_ms: number;
    space_id: string;
    parent_id: string | null;
    until_ms: number;
    /** Why they could not be read: `forbidden`, or `limited` to few at a time. */
    reason: 'forbidden' | 'limited';
  };
}
