import type { Message } from '../../model/message.ts';
import type { Channel, MessageRef } from '../../model/place.ts';
import type { StoredMessage } from './stored-message.ts';

/** Content hash of a deleted message, whose mirrors must be deleted too. */
export const DELETED = '';

/** Purpose of a row of a watched channel. */
export const WATCH = 'watch';

const FLAG = 'flag:';

/** Purpose of a row that a reaction requested. */
export const flagPurpose = (language: string): string => `${FLAG}${language}`;

/** Language that a row's reaction requested; undefined for rows of watched channels. */
export const flaggedLanguage = (purpose: string): string | undefined =>
  purpose.startsWith(FLAG) ? purpose.slice(FLAG.length) : undefined;

export const channelPartition = ({ space, id }: Channel): string =>
  `${space.platform}:channel:${id}`;

/** Partition of linked channels: they are one conversation, across platforms too. */
export const groupPartition = (group: string): string => `group:${group}`;

/** Partition of a single row that waits for no other and delays none. */
export const ownPartition = (
  kind: 'flag' | 'change' | 'deleted',
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
}

export interface Arrival {
  readonly message: Message;
  readonly purpose: string;
  readonly partition: string;
  /** Time at which the message was written, ms since 1970. */
  readonly writtenMs: number;
  /** Reason for skipping the message, whose text is then not stored. */
  readonly skip?: string | undefined;
}

/** Novelty of a message for the inbox: `same` when it has this content already. */
export type Accepted = 'new' | 'changed' | 'same';

export type Outcome =
  | { readonly state: 'posted' }
  | { readonly state: 'skipped' | 'dead'; readonly reason: string };
