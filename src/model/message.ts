import { type MessageRef } from './place.ts';
import { type MessageFile } from './file.ts';
/** Who wrote a message. `name` and `avatarUrl` are what others see. */
export interface Author {
  readonly id: string;
  readonly name: string;
  readonly avatarUrl?: string;
  /** `ourselves`: posted by us, as a bot or through a webhook of ours. */
  readonly kind: 'person' | 'bot' | 'ourselves';
}

/** What somebody wrote where we can read it, as it is now. */
export interface Message {
  readonly ref: MessageRef;
  /** Sorts the messages of one platform by when they were written, compared as text. */
  readonly position: string;
  readonly author: Author;
  /** In the platform's markup. Of a poll: its question and answers; of a forward: what it shows. */
  readonly text: string;
  readonly files: readonly MessageFile[];
  readonly stickers: readonly { readonly name: string; readonly url: string }[];
  readonly replyTo?: MessageRef;
  readonly forwarded?: boolean;
  /** It was changed since it was written. */
  readonly edited?: boolean;
  /** True of what the platform says itself: joins, pins, boosts. */
  readonly system?: boolean;
}
