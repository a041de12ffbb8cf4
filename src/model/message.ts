import type { MessageRef } from './place.ts';
import type { MessageFile } from './file.ts';
import type { RichText } from '../rich-text/rich-text.ts';

/** The author of a message. `name` and `avatarUrl` are as others see them. */
export interface Author {
  readonly id: string;
  readonly name: string;
  readonly avatarUrl?: string;
  /** `ourselves`: posted by us, as a bot or through a webhook of ours. */
  readonly kind: 'person' | 'bot' | 'ourselves';
}

/** A message as it is now. */
export interface Message {
  readonly ref: MessageRef;
  /** Sorts the messages of one platform by when they were written, compared as text. */
  readonly position: string;
  readonly author: Author;
  /** The text; of a poll its question and answers, of a forward its content. */
  readonly text: RichText;
  readonly files: readonly MessageFile[];
  readonly stickers: readonly { readonly name: string; readonly url: string }[];
  readonly replyTo?: MessageRef;
  /**
   * Id of the thread that it is in, or would begin, in the adapter's format, on platforms whose threads are not
   * channels.
   */
  readonly threadId?: string;
  /** True for a reply in a thread that stands in the channel too. */
  readonly broadcast?: true;
  readonly forwarded?: boolean;
  /** True when the message was changed since it was written. */
  readonly edited?: boolean;
  /**
   * Sorts the states of one message, compared as text: one that comes after a later one is out of date.
   * Omitted by platforms that report changes in their order.
   */
  readonly version?: string;
  /** True for messages of the platform itself: joins, pins, boosts. */
  readonly system?: boolean;
}
