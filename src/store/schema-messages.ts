import type { ColumnType, Generated } from 'kysely';

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

/** Tables of messages, and of what stands for them elsewhere. */
export interface MessageTables {
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
}
