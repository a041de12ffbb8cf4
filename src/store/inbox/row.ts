import type { Message } from '../../model/message.ts';
import type { Channel, MessageRef } from '../../model/place.ts';
import type { StoredMessage } from './stored-message.ts';

/** The content of a message that is deleted: its mirrors are to go too. */
export const DELETED = '';

/** The purpose of a row of a watched channel. */
export const WATCH = 'watch';

const FLAG = 'flag:';

/** The purpose of a row that a reaction asked for. */
export const flagPurpose = (language: string): string => `${FLAG}${language}`;

/** The language that a row's reaction asked for; undefined for rows of watched channels. */
export const flaggedLanguage = (purpose: string): string | undefined =>
  purpose.startsWith(FLAG) ? purpose.slice(FLAG.length) : undefined;

export const channelPartition = ({ space, id }: Channel): string =>
  `${space.platform}:channel:${id}`;

/** Linked channels are one conversation, on however many platforms, and so one partition. */
export const groupPartition = (group: string): string => `group:${group}`;

/** The partition of a row that waits for no other, and holds up none. */
export const ownPartition = (
  kind: 'flag' | 'change' | 'deleted',
  { channel, id }: MessageRef,
): string => `${channel.space.platform}:${kind}:${channel.id}:${id}`;

export interface RowKey {
  readonly ref: MessageRef;
  /** `WATCH`, or that of a flag. */
  readonly purpose: string;
}

/** A message that a tenure of its partition has claimed. */
export interface Row extends RowKey {
  readonly partition: string;
  readonly position: string;
  readonly authorId: string;
  /**
   * `deleted`: its mirrors are to go. `unread`: it has to be read from the platform first. `skipped`: it
   * is not to be translated any more, for `skip`.
   */
  readonly message: StoredMessage | 'deleted' | 'unread' | 'skipped';
  readonly skip: string | undefined;
  readonly contentHash: string;
  readonly revision: number;
  /** The tenure's that claimed it. */
  readonly epoch: number;
  /** The number of times that this state of the message was begun, this one included. */
  readonly attempts: number;
  /** True when some of its mirrors may stand although nobody knows of them. */
  readonly mayExist: boolean;
}

export interface Arrival {
  readonly message: Message;
  readonly purpose: string;
  readonly partition: string;
  /** The time at which the message was written, ms since 1970. */
  readonly writtenMs: number;
  /** The reason for which nothing is to be done with it: the text is not kept then. */
  readonly skip?: string | undefined;
}

/** The news that a message was to the inbox: `same` when it has this content already. */
export type Accepted = 'new' | 'changed' | 'same';

export type Outcome =
  | { readonly state: 'posted' }
  | { readonly state: 'skipped' | 'dead'; readonly reason: string };
