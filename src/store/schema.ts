import type { ColumnType, Generated } from 'kysely';

/** The tables' types for Kysely. Times are milliseconds since 1970; lists and records are JSON. */
export interface Schema {
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
  inbox: {
    platform: string;
    channel_id: string;
    message_id: string;
    /** Purpose: `watch`, `flag:<language>`, or `watch>` and the key of a late channel. */
    purpose: string;
    space_id: string;
    parent_id: string | null;
    author_id: string;
    /** Partition whose rows are processed in the order in which their messages were written. */
    partition_key: string;
    /** Hash slot of the partition; see `slotOf`. */
    slot: number;
    written_ms: number;
    /** Order of messages of one channel that were written in the same millisecond. */
    position: string;
    /** The message as JSON until its outcome; null when it must be read from the platform. */
    message: string | null;
    /**
     * Hash of the message's visible content. Empty when the message is deleted and its mirrors must
     * be too. For a skipped message only the reason, so that nothing of its text is kept.
     */
    content_hash: string;
    /** Number of changes of the row. */
    revision: number;
    /** The message's state as the platform orders its states; empty where reports come in order. */
    version: Generated<string>;
    state: InboxState;
    /** Reason for being skipped or dead. */
    reason: string | null;
    /**
     * The reason for being dead, or for still waiting, as JSON of a `Sentence`; null where it holds words of
     * somebody.
     */
    sentence: string | null;
    /** Attempts since the message last changed. */
    attempts: number;
    /** Attempts since the last outcome; above 0, some mirrors may already exist. */
    begun: number;
    /** Earliest time of the next attempt. */
    due_ms: number;
    /** Epoch of the tenure that last claimed the row; 0 when unclaimed since the message changed. */
    epoch: number;
    /** Time of the outcome; for a row without one, of the first change since the last one. */
    changed_ms: number;
    /** 1 for a dead row of which moderators are not told yet, 2 while they are told; else 0. */
    untold: Generated<number>;
  };
  mirror: MirrorKeyColumns & {
    target_parent_id: string | null;
    /**
     * JSON list of the mirror's message ids; empty when somebody deleted the mirror, or the message was kept
     * out of the channel: it is not posted again.
     */
    ids: string;
    handle: string | null;
    /**
     * Hash of the source content that the mirror shows; empty while the mirror is incomplete. For a message that was kept out
     * of the channel, the reason.
     */
    content_hash: string;
    posted_ms: ColumnType<number, number, never>;
    /** Names of the models that translated it, joined by `+`; empty where none did, or none was named. */
    models: Generated<string>;
    /** 1 while its source is pinned, and the mirror therefore too, else 0. */
    pinned: Generated<number>;
    /** Key of the message that the mirror quotes (`messageKey`); empty for none. */
    quoted: Generated<string>;
  };
  /** Sources of each of our messages. */
  mirror_message: MirrorKeyColumns & {
    message_id: string;
  };
  /** The thread of a channel with the translations into one language. */
  standing_thread: {
    platform: string;
    space_id: string;
    channel_id: string;
    language: string;
    /** The thread where it is a channel of its own, otherwise the channel that it is in. */
    target_channel_id: string;
    /** Id of the thread in the channel; empty where it is a channel of its own. */
    target_thread_id: string;
  };
  /** The threads of linked channels that are copied into each other. */
  linked_thread: {
    platform: string;
    space_id: string;
    /** The channel that the thread belongs to. */
    channel_id: string;
    /** The thread where it is a channel of its own, otherwise the channel that it is in. */
    thread_channel_id: string;
    /** Id of the thread in the channel; empty where it is a channel of its own. */
    thread_id: string;
    group_id: string;
    /** Key of the thread from which the others were begun. */
    origin: string;
    /** 1 when people deleted the thread, else 0. */
    is_gone: number;
    /** The state it was last known in, in JSON (`ThreadState`); empty where nothing of it has changed. */
    state: Generated<string>;
  };
  /** People's reactions elsewhere to a message of linked channels. */
  copied_reaction: {
    platform: string;
    space_id: string;
    /** The channel of the message, or its thread where that is a channel of its own. */
    channel_id: string;
    message_id: string;
    /** A Unicode emoji. */
    emoji: string;
    /** JSON: a hash of each message elsewhere under which people have reacted → their number. */
    people: string;
    /** 1 where our own reaction stands for them, else 0. */
    shown: number;
    changed_ms: number;
  };
  /** Owner of each lease, and the number of times that it was acquired. */
  lease: {
    name: string;
    /** The set that processes share the name's leases of; see `Leases.share`. */
    set_name: Generated<string>;
    owner: string;
    epoch: number;
    /** End by the database's clock; 0 for one that nobody has. SQLite's leases have none. */
    expires_ms: Generated<number>;
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
    /** `drafted` until the person has seen the other side and agreed; `asked` until the question stands there. */
    state: 'drafted' | 'asked' | 'told';
    /** JSON of the two watches, and of what was agreed with them. */
    request: string;
    /** Id and name of the person who asks; null where they had their data deleted. */
    asked_by: string | null;
    asked_by_name: string | null;
    expires_ms: number;
  };
  delivery: {
    /** Grows with each event. */
    number: Generated<number>;
    platform: string;
    id: string;
    space_id: string;
    /** Events with the same key are handled in the order of their numbers. */
    order_key: string;
    /** Hash slot of the key; see `slotOf`. */
    slot: number;
    /** Id of the person whose words the body holds; null where there are none. */
    author_id: string | null;
    /** The event as JSON; null once it was handled. */
    body: string | null;
    received_ms: number;
  };
  /** An answer that somebody waits for. */
  open_answer: {
    id: string;
    platform: string;
    space_id: string;
    member_id: string;
    /** The process that works on it. */
    process: string;
    /** The place of the answer, as its platform finds it again. */
    address: string;
    since_ms: number;
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
  /** One row, where the system has such a number. */
  machine: {
    /** Number of the start of the machine on which the database was opened last. */
    boot_id: string;
  };
  /** The number of changes of what processes keep in memory, by its topic. */
  revision: {
    topic: string;
    revision: number;
  };
  /** A space that the bot was removed from, of which nothing is stored any more. */
  left_space: {
    platform: string;
    space_id: string;
    left_ms: number;
  };
  /** One row, in a database that came back from a backup. */
  restoration: {
    /** Time at which it was opened for the first time afterwards; 0 before that. */
    at_ms: number;
  };
  /** A rate that processes share, as far as it is used up; see `Quota`. */
  quota: {
    name: string;
    /** Time whose uses are all given, microseconds by the database's clock. */
    used_until_us: number;
    /** Uses that the last request was given. */
    granted: number;
  };
  /** A number that all processes use; see `Agreements`. */
  agreement: {
    name: string;
    value: number;
  };
  /** A text that all processes change; see `SharedStates`. */
  shared_state: {
    name: string;
    state: string;
    changed_ms: number;
  };
}

export type InboxState = 'waiting' | 'posted' | 'skipped' | 'dead';

interface MirrorKeyColumns {
  source_platform: string;
  source_space_id: string;
  source_channel_id: string;
  source_id: string;
  purpose: string;
  target_platform: string;
  target_space_id: string;
  target_channel_id: string;
  /** Id of the thread in the channel; empty for the channel itself. */
  target_thread_id: string;
}
