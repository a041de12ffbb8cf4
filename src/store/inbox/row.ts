import { hash } from 'node:crypto';
import { type ExpressionBuilder, type Selectable, sql } from 'kysely';
import { type ErrorCode, type Sentence, isLanguage } from '../../errors.ts';
import { writerOf, type ByteSource, type MessageFile, type Message } from '../../model/message.ts';
import {
  channelAround,
  channelKey,
  keyOf,
  type Channel,
  type MessageRef,
  type Person,
  type Space,
} from '../../model/place.ts';
import type { ChannelWatch } from '../../model/space.ts';
import { WITHIN_SLOT } from '../rows.ts';
import type { Schema } from '../schema.ts';
import english from '../../../locales/en.json' with { type: 'json' };

type StoredFile = Omit<MessageFile, 'open'>;

/** A message as stored in a row: without its place, and without access to its files. */
export type StoredMessage = Omit<Message, 'ref' | 'files'> & { readonly files: StoredFile[] };

/** Opens a file of a stored message. */
export type OpenFile = (file: StoredFile) => ByteSource['open'];

const withoutOpen = (file: MessageFile): StoredFile => {
  const { id, name, mediaType, sizeBytes, altText, voice } = file;
  return {
    id,
    name,
    mediaType,
    sizeBytes,
    ...(altText === undefined ? {} : { altText }),
    ...(voice ? { voice } : {}),
  };
};

export const toStored = (message: Message): StoredMessage => {
  const { ref: _ref, ...rest } = message;
  return { ...rest, files: message.files.map(withoutOpen) };
};

export const fromStored = (
  ref: Message['ref'],
  { files, ...message }: StoredMessage,
  open: OpenFile,
): Message => ({
  ...message,
  ref,
  files: files.map((file) => ({ ...file, open: open(file) })),
});

/** Content hash of a skipped message. */
export const skippedHash = (reason: string): string => `skipped:${reason}`;

/** Length of a hash from before messages were trees; later hashes are longer. */
export const FORMER_HASH_LENGTH = 43;

/** Hash of a message's visible content. */
export const contentHash = (message: Message): string => {
  const { text, files, stickers, author, system, broadcast } = message;
  return hash(
    'sha256',
    JSON.stringify([
      text,
      files.map(({ id }) => id),
      stickers.map(({ url }) => url),
      author.id,
      system ?? false,
      ...(broadcast ? [broadcast] : []),
    ]),
    'hex',
  );
};

/** Content hash of a deleted message, whose mirrors must be deleted too. */
export const DELETED = '';

/** Purpose of a row of a watched channel. */
export const WATCH = 'watch';

const LATE = `${WATCH}${WITHIN_SLOT}`;

/** Purpose, as it is stored, of a row for one late channel. */
export const latePurpose = (to: string): string => `${LATE}${to}`;

/** Key of the late channel that a stored purpose is for; undefined for any other purpose. */
export const lateIn = (purpose: string): string | undefined =>
  purpose.startsWith(LATE) ? purpose.slice(LATE.length) : undefined;

const FLAG = 'flag:';

/** Purpose of a row that a reaction requested. */
export const flagPurpose = (language: string): string => `${FLAG}${language}`;

/** Language that a row's reaction requested; undefined for rows of watched channels. */
export const flaggedLanguage = (purpose: string): string | undefined =>
  purpose.startsWith(FLAG) ? purpose.slice(FLAG.length) : undefined;

export const channelPartition = ({ space, id }: Channel): string =>
  `${space.platform}:channel:${id}`;

const GROUP = 'group:';

/** Partition of linked channels: they are one conversation, across platforms too. */
export const groupPartition = (group: string): string => `${GROUP}${group}`;

/** The partition of a watched channel: linked channels are one. */
export const watchPartition = ({ channel, group }: ChannelWatch): string =>
  group === undefined ? channelPartition(channel) : groupPartition(group);

const BACKFILL = `${WITHIN_SLOT}backfill`;

/** The partition of what a backfill finds in channels whose messages have this one: it delays none that are reported. */
export const backfillPartition = (partition: string): string => `${partition}${BACKFILL}`;

/** True for the partition of a backfill. */
export const isBackfill = (partition: string): boolean => partition.endsWith(BACKFILL);

/** The partition of the channels of a backfill's; the same for any other. */
export const reportedPartition = (partition: string): string =>
  isBackfill(partition) ? partition.slice(0, -BACKFILL.length) : partition;

/** True for the partition of what is reported of a channel, or of linked channels. */
export const isReported = (partition: string): boolean =>
  /^(?:group|[^:]+:channel):/.test(partition) && !partition.includes(WITHIN_SLOT);

/** True for a partition of linked channels, in which none of them is late. */
export const isGroup = (partition: string): boolean =>
  partition.startsWith(GROUP) && !reportedPartition(partition).includes(WITHIN_SLOT);

/** Partition of the messages that wait for one of linked channels, by its key, which is late. */
export const latePartition = (group: string, to: string): string =>
  `${groupPartition(group)}${WITHIN_SLOT}${to}`;

const PAUSE = 'pause:';

/**
 * Partition of what was edited in one of linked channels, and is shown in another one after a pause, by their keys; without a
 * group, where its translation stands in its own channel.
 */
export const pausePartition = (group: string, from: string, to: string): string =>
  [PAUSE + group, from, to].join(WITHIN_SLOT);

/** The group and the keys of the channels between which rows of a partition wait for the end of a pause; undefined for any other partition. */
export const pausedIn = (partition: string) => {
  if (!partition.startsWith(PAUSE)) return undefined;
  const [group = '', from = '', to = ''] = partition.slice(PAUSE.length).split(WITHIN_SLOT);
  return { group, from, to };
};

/** Selects the rows that wait for the end of a pause: they are no work until then. */
export const isInPause = sql<boolean>`inbox.partition_key LIKE ${sql.lit(`${PAUSE}%`)}`;

/** The group of linked channels that a partition is of, and the late one; undefined for any other partition. */
export const groupOf = (
  partition: string,
): { readonly group: string; readonly to?: string } | undefined => {
  if (!partition.startsWith(GROUP)) return undefined;
  const [group = '', to] = reportedPartition(partition).slice(GROUP.length).split(WITHIN_SLOT);
  return { group, ...(to === undefined ? {} : { to }) };
};

/** Partition of a single row that waits for no other and delays none. */
export const ownPartition = (
  kind: 'flag' | 'change' | 'deleted' | 'quote',
  { channel, id }: MessageRef,
): string => `${channel.space.platform}:${kind}:${channel.id}:${id}`;

export interface RowKey {
  readonly ref: MessageRef;
  /** Purpose: `WATCH`, or that of a flag. */
  readonly purpose: string;
}

/** A row that a tenure of its partition has claimed. */
export interface Row extends RowKey {
  readonly partition: string;
  /** Key of the only channel that the row is for: it is late. Undefined for all that the message is for. */
  readonly to: string | undefined;
  readonly position: string;
  readonly authorId: string;
  /**
   * The message, or its state. `deleted`: its mirrors must be deleted. `unread`: it must first be
   * read from the platform. `skipped`: it must not be translated any more, for the reason `skip`.
   */
  readonly message: StoredMessage | 'deleted' | 'unread' | 'skipped';
  readonly skip: string | undefined;
  readonly contentHash: string;
  readonly revision: number;
  /** Epoch of the tenure that claimed the row. */
  readonly epoch: number;
  /** Attempts at this version of the message, this one included. */
  readonly attempts: number;
  /** True when mirrors may exist that are not recorded. */
  readonly mayExist: boolean;
  /** Time since which the row has had no outcome, ms since 1970. */
  readonly sinceMs: number;
  /** True for a message that came long after it was written: it was missed, and the history read. */
  readonly isMissed: boolean;
}

/** True for the row of a message of which only what its copies quote changed: they are made anew where they stand. */
export const isOfQuote = ({ partition, message }: Pick<Row, 'partition' | 'message'>): boolean =>
  message === 'unread' && /^[^:]+:quote:/.test(partition);

/** True for a channel that a row is for, and its threads. */
export const isFor = ({ to }: Pick<Row, 'to'>, channel: Channel): boolean =>
  to === undefined || [channel, channelAround(channel)].some((one) => to === channelKey(one));

export interface Arrival {
  readonly message: Message;
  readonly purpose: string;
  readonly partition: string;
  /** Time at which the message was written, ms since 1970. */
  readonly writtenMs: number;
  /** Reason for skipping the message, whose text is then not stored. */
  readonly skip?: string | undefined;
  /** Time before which it is not worked on, ms since 1970. Default: none. */
  readonly dueMs?: number;
  /** True where it may only have been read again: what nobody changed then stays as it is, shown or skipped. Default: false. */
  readonly isReread?: boolean;
}

/** Novelty of a message for the inbox: `same` when it has this content already. */
export type Accepted = 'new' | 'changed' | 'same';

export type Outcome =
  | { readonly state: 'posted' }
  | { readonly state: 'skipped'; readonly reason: string }
  | { readonly state: 'dead'; readonly reason: ErrorCode; readonly sentence: Sentence };

export const refColumns = ({ channel, id }: MessageRef) => ({
  platform: channel.space.platform,
  channel_id: channel.id,
  message_id: id,
});

/** The columns of a message whose mirrors are recorded. */
export const sourceColumns = ({ channel, id }: MessageRef) => ({
  source_platform: channel.space.platform,
  source_channel_id: channel.id,
  source_id: id,
});

/** The columns of a mirror by which `sourceIn` finds its source. */
export const SOURCE_KEY = [
  'source_platform',
  'source_space_id',
  'source_channel_id',
  'source_id',
  'purpose',
] as const;

/** The message that a mirror shows, and for what purpose. */
export const sourceIn = (
  row: Pick<Selectable<Schema['mirror']>, (typeof SOURCE_KEY)[number]>,
): RowKey => {
  const space = { platform: row.source_platform, id: row.source_space_id };
  const channel = { space, id: row.source_channel_id };
  return { ref: { channel, id: row.source_id }, purpose: row.purpose };
};

/** The author of a row's message as it is stored: with the platform, where that is not the row's. */
export const storedAuthor = (message: Message): string => {
  const { platform, id } = writerOf(message);
  return platform === message.ref.channel.space.platform ? id : keyOf({ platform, id });
};

/** Reads what `storedAuthor` gave; undefined where the author was forgotten. */
export const readAuthor = (platform: string, stored: string): Person | undefined => {
  const [id = '', own = platform] = stored.split(' ').toReversed();
  return id === '' ? undefined : { platform: own, id };
};

/** Selects the rows of what a person wrote: flags under copies of it may be on other platforms. */
export const isBy =
  ({ platform, id }: Person) =>
  (eb: ExpressionBuilder<Schema, 'inbox'>) =>
    eb.or([eb.and({ platform, author_id: id }), eb('author_id', '=', keyOf({ platform, id }))]);

export const keyColumns = ({ ref, purpose }: RowKey) => ({ ...refColumns(ref), purpose });

export const isRow =
  ({ platform, channel_id, message_id, purpose }: ReturnType<typeof keyColumns>) =>
  (eb: ExpressionBuilder<Schema, 'inbox'>) =>
    eb.and({ platform, channel_id, message_id, purpose });

type RowPlace = Pick<
  Selectable<Schema['inbox']>,
  'platform' | 'space_id' | 'channel_id' | 'parent_id'
>;

export const rowChannel = (row: RowPlace): Channel => ({
  space: { platform: row.platform, id: row.space_id },
  id: row.channel_id,
  ...(row.parent_id === null ? {} : { parentId: row.parent_id }),
});

/** The columns by which a tenure's claim of a row is known, as long as the message does not change. */
export const claimedColumns = (row: Row) => ({
  ...keyColumns({
    ref: row.ref,
    purpose: row.to === undefined ? row.purpose : latePurpose(row.to),
  }),
  epoch: row.epoch,
  revision: row.revision,
});

export const isClaimed =
  (row: ReturnType<typeof claimedColumns>) => (eb: ExpressionBuilder<Schema, 'inbox'>) =>
    eb.and({
      'inbox.platform': row.platform,
      'inbox.channel_id': row.channel_id,
      'inbox.message_id': row.message_id,
      'inbox.purpose': row.purpose,
      'inbox.state': 'waiting',
      'inbox.epoch': row.epoch,
      'inbox.revision': row.revision,
    });

/** Conditions of partial indexes; each must match its index word for word, or SQLite does not use it. */
export const isOpen = sql<boolean>`state = 'waiting'`;
export const isDead = sql<boolean>`state = 'dead'`;
export const isWatched = sql<boolean>`purpose = 'watch'`;
export const isOverLimit = sql<boolean>`state = 'skipped' AND reason = 'daily-limit'`;

/**
 * Conditions beside one of a partial index, for which no other index is used: SQLite would look through all rows of a
 * platform by its key rather than through the few of the partial index.
 */
export const isAmong = (platforms: readonly string[]) =>
  sql<boolean>`platform || '' IN (${sql.join(platforms)})`;
export const isOf = ({ platform, id }: Space) =>
  sql<boolean>`${isAmong([platform])} AND space_id = ${id}`;

/** States in which a row needs no more work. */
export const SETTLED = ['posted', 'skipped', 'dead'] as const;

/** Columns of a row that was never tried. */
export const FRESH = {
  state: 'waiting',
  reason: null,
  sentence: null,
  attempts: 0,
  due_ms: 0,
  epoch: 0,
} as const;

/** Columns of a row that is abandoned for a reason: its worker deletes unfinished mirrors. */
export const abandoned = (reason: string, nowMs: number) => ({
  ...FRESH,
  reason,
  message: null,
  content_hash: skippedHash(reason),
  changed_ms: nowMs,
  revision: sql<number>`revision + 1`,
});

/**
 * Writes a sentence as JSON, without values other than numbers and languages: they may be anybody's
 * words, which are not stored. Null for a sentence that says them.
 */
export const writeSentence = ({ key, params = {} }: Sentence): string | null => {
  const kept = Object.entries(params).filter(
    ([, value]) => typeof value === 'number' || isLanguage(value),
  );
  const isSaid = (name: string): boolean => english[key].includes(`{${name}`);
  const lost = Object.keys(params).filter((name) => !kept.some(([one]) => one === name));
  return lost.some(isSaid) ? null : JSON.stringify({ key, params: Object.fromEntries(kept) });
};

/** Reads a stored sentence; in place of one that is missing or no longer exists, that of the code. */
export const readSentence = (stored: string | null, code: ErrorCode): Sentence => {
  const sentence = stored === null ? undefined : (JSON.parse(stored) as Sentence);
  return sentence && Object.hasOwn(english, sentence.key) ? sentence : { key: `reasons.${code}` };
};
