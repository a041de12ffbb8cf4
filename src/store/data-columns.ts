import type { Schema } from './schema.ts';

/** The kinds of what columns hold, which tell what has to go when a person or a space goes. */
export const COLUMN_KINDS = {
  place: 'IDs of the platform, the space, the channel or the message',
  person: 'the ID or name of a person',
  words: 'text that people wrote',
  choice: 'what somebody set up',
  secret: 'an encrypted key or token',
  hash: 'a hash of a text or code',
  state: 'the state of the work',
  amount: 'numbers of use',
  time: 'times',
} as const;

export type ColumnKind = keyof typeof COLUMN_KINDS;

type ColumnsOf<Table extends keyof Schema> = Readonly<
  Record<keyof Schema[Table] & string, ColumnKind>
>;

const SPACE = { platform: 'place', space_id: 'place' } as const;

const MIRROR_KEY = {
  source_platform: 'place',
  source_space_id: 'place',
  source_channel_id: 'place',
  source_id: 'place',
  purpose: 'state',
  target_platform: 'place',
  target_space_id: 'place',
  target_channel_id: 'place',
  target_thread_id: 'place',
} as const;

/** The kind of every column of every table: one that is missing here does not compile. */
export const DATA_COLUMNS: { readonly [Table in keyof Schema]: ColumnsOf<Table> } = {
  member_setting: {
    ...SPACE,
    member_id: 'person',
    language: 'choice',
    voice_id: 'choice',
    opted_out: 'choice',
  },
  room_consent: { ...SPACE, member_id: 'person', is_heard: 'choice' },
  usage_day: {
    ...SPACE,
    day: 'time',
    member_id: 'person',
    characters: 'amount',
    audio_ms: 'amount',
    chat_tokens: 'amount',
    messages: 'amount',
  },
  inbox: {
    ...SPACE,
    channel_id: 'place',
    parent_id: 'place',
    message_id: 'place',
    purpose: 'state',
    author_id: 'person',
    partition_key: 'place',
    written_ms: 'time',
    position: 'place',
    message: 'words',
    content_hash: 'hash',
    revision: 'state',
    version: 'state',
    state: 'state',
    reason: 'state',
    sentence: 'state',
    attempts: 'state',
    begun: 'state',
    due_ms: 'time',
    epoch: 'state',
    changed_ms: 'time',
  },
  delivery: {
    ...SPACE,
    number: 'state',
    id: 'place',
    order_key: 'place',
    author_id: 'person',
    body: 'words',
    received_ms: 'time',
  },
  mirror: {
    ...MIRROR_KEY,
    target_parent_id: 'place',
    ids: 'place',
    handle: 'state',
    content_hash: 'hash',
    posted_ms: 'time',
  },
  mirror_message: { ...MIRROR_KEY, message_id: 'place' },
  standing_thread: {
    ...SPACE,
    channel_id: 'place',
    language: 'choice',
    target_channel_id: 'place',
    target_thread_id: 'place',
  },
  channel_watch: {
    ...SPACE,
    channel_id: 'place',
    parent_id: 'place',
    mode: 'choice',
    languages: 'choice',
    group_id: 'place',
    transcribes: 'choice',
    bots: 'choice',
    below: 'choice',
    since_ms: 'time',
  },
  channel_cursor: { ...SPACE, channel_id: 'place', parent_id: 'place', position: 'place' },
  history_gap: {
    ...SPACE,
    channel_id: 'place',
    parent_id: 'place',
    from_ms: 'time',
    until_ms: 'time',
    reason: 'state',
  },
  link_invite: { ...SPACE, code_hash: 'hash', watch: 'choice', expires_ms: 'time' },
  glossary_term: {
    ...SPACE,
    term_key: 'choice',
    language: 'choice',
    copy: 'state',
    term: 'choice',
    translation: 'choice',
  },
  space_setting: { ...SPACE, choices: 'choice' },
  space_key: {
    ...SPACE,
    secret: 'secret',
    set_by: 'person',
    set_by_name: 'person',
    set_ms: 'time',
  },
  installation: { ...SPACE, secret: 'secret' },
  open_room: {
    ...SPACE,
    channel_id: 'place',
    locale: 'choice',
    is_automatic: 'state',
    captions: 'choice',
    started_by: 'person',
    informed_of: 'state',
    seen_ms: 'time',
    epoch: 'state',
  },
  open_room_informed: { ...SPACE, member_id: 'person' },
  lease: { name: 'state', owner: 'state', epoch: 'state' },
  machine: { boot_id: 'state' },
};
