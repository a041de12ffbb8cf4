import type { Message } from '../../model/message.ts';
import type { MessageRef } from '../../model/place.ts';
import type { StoredMessage } from './stored-message.ts';

/** The content of a message that is gone: its copies are to go too. */
export const GONE = '';

export interface RowKey {
  readonly ref: MessageRef;
  /** `WATCH`, or that of a flag. */
  readonly purpose: string;
}

/** A message that somebody works on. */
export interface Row extends RowKey {
  readonly lane: string;
  readonly position: string;
  readonly authorId: string;
  /**
   * `gone`: its copies are to go. `unread`: it has to be read from the platform first. `skipped`: it
   * is not to be translated any more, for `skip`.
   */
  readonly message: StoredMessage | 'gone' | 'unread' | 'skipped';
  readonly skip: string | undefined;
  readonly contentHash: string;
  readonly revision: number;
  /** How often this state of the message was begun, this time included. */
  readonly attempts: number;
  /** Some of its copies may stand although nobody knows of them. */
  readonly again: boolean;
}

export interface Arrival {
  readonly message: Message;
  readonly purpose: string;
  readonly lane: string;
  /** Nothing is to be done with it, for this reason: the text is not kept. */
  readonly skip?: string | undefined;
}

/** What a message was to the inbox: `same` when it has this content already. */
export type Accepted = 'new' | 'changed' | 'same';

export type Outcome =
  | { readonly state: 'posted' }
  | { readonly state: 'skipped' | 'dead'; readonly reason: string };

/** A lane with work in it. */
export interface Partition {
  readonly platform: string;
  readonly lane: string;
}
