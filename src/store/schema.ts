import type { ColumnType, Generated } from 'kysely';

/** The tables, as Kysely types them. Times are milliseconds since 1970; lists and records are JSON. */
export interface Schema {
  glossary_term: GlossaryTermTable;
  member_setting: MemberSettingTable;
  space_setting: SpaceSettingTable;
  usage_day: UsageDayTable;
  channel_watch: ChannelWatchTable;
  channel_cursor: ChannelCursorTable;
  inbox: InboxTable;
  mirror: MirrorTable;
  mirror_message: MirrorMessageTable;
  lease: LeaseTable;
  room_consent: RoomConsentTable;
}

interface GlossaryTermTable {
  platform: string;
  /** The space's id; for a channel's own terms the space's id, a slash, and the channel's. */
  space_id: string;
  /** The term folded for comparison; unique with `language` within a space. */
  term_key: string;
  /** Code of a language; empty for every language. */
  language: string;
  term: string;
  translation: string | null;
}

interface MemberSettingTable {
  platform: string;
  member_id: string;
  language: string | null;
  voice_id: string | null;
  /** 0 or 1. */
  opted_out: Generated<number>;
}

interface SpaceSettingTable {
  platform: string;
  space_id: string;
  /** `SpaceChoices`, those that were changed. */
  choices: string;
}

interface UsageDayTable {
  platform: string;
  space_id: string;
  /** `YYYY-MM-DD`, UTC. */
  day: string;
  /** Id of a member; empty for people who are to be forgotten. */
  member_id: string;
  characters: number;
  audio_ms: number;
  messages: number;
}

interface ChannelWatchTable {
  platform: string;
  channel_id: string;
  space_id: string;
  /** Of a thread. */
  parent_id: string | null;
  mode: string;
  languages: string;
  group_id: string | null;
  /** 0 or 1, both. */
  transcribes: number;
  bots: number;
  since_ms: number;
}

interface ChannelCursorTable {
  platform: string;
  channel_id: string;
  space_id: string;
  parent_id: string | null;
  /** Everything up to here is in the inbox, or was before it was cleared. */
  position: string;
}

/** What is to be done with one message for one purpose. */
interface InboxTable {
  platform: string;
  channel_id: string;
  message_id: string;
  /** `watch`, or `flag:<language>`. */
  purpose: string;
  space_id: string;
  parent_id: string | null;
  author_id: string;
  /** Rows of one partition are done in the order in which their messages were written. */
  partition_key: string;
  written_ms: number;
  /** Sorts messages of one channel that were written in the same moment. */
  position: string;
  /** The message, as JSON, until its outcome is reached; null: to be read from the platform. */
  message: string | null;
  /**
   * Of what people see of the message. Empty: it is gone, and its copies are to go too. Of what is
   * not to be translated, only the reason: nothing of its words is kept.
   */
  content_hash: string;
  /** Grows with each change of the message. */
  revision: number;
  state: InboxState;
  /** Why it was skipped or is dead. */
  reason: string | null;
  /** Since the message changed last. */
  attempts: number;
  /** How often it was begun since an outcome was reached: something may stand there already. */
  begun: number;
  /** Not to be tried before. */
  due_ms: number;
  /** Of the tenure in which it was claimed last; 0: not since it changed. */
  epoch: number;
  changed_ms: number;
}

export type InboxState = 'waiting' | 'working' | 'posted' | 'skipped' | 'dead';

/** A message that was mirrored, and where to. */
interface MirrorKeyColumns {
  source_platform: string;
  source_space_id: string;
  source_channel_id: string;
  source_id: string;
  purpose: string;
  target_platform: string;
  target_space_id: string;
  target_channel_id: string;
  /** Empty: in the channel itself. */
  target_thread_id: string;
}

/** Where a message was mirrored to. */
interface MirrorTable extends MirrorKeyColumns {
  target_parent_id: string | null;
  /** Ids of its messages; none: somebody deleted it, and it is not put back. */
  ids: string;
  handle: string | null;
  /** The source's content that it shows; empty: not all of it yet. */
  content_hash: string;
  posted_ms: ColumnType<number, number, never>;
}

/** The way back from a message of ours to what it was made of. */
interface MirrorMessageTable extends MirrorKeyColumns {
  message_id: string;
}

/** Who may work on something, and how often that changed hands. */
interface LeaseTable {
  name: string;
  owner: string;
  epoch: number;
}

/** What somebody chose about being heard in the voice rooms of a space. */
interface RoomConsentTable {
  platform: string;
  space_id: string;
  member_id: string;
  /** 0 or 1. */
  is_heard: number;
}
