import type { MessageRef, Space } from '../model/place.ts';
import { type ErrorCode } from '../errors.ts';
/** Pending and failed work in the watched channels of a space. */
export interface Backlog {
  readonly waiting: number;
  /** The time at which the oldest pending message was written, ms since 1970. */
  readonly oldestMs: number | undefined;
  readonly dead: number;
  /** The newest failed messages, with the reason of each. */
  readonly newestDead: readonly { readonly ref: MessageRef; readonly reason: ErrorCode }[];
}

export interface Inbox {
  backlog(space: Space): Promise<Backlog>;
  /** Retries all failed messages of the space; resolves with their number. */
  revive(space: Space): Promise<number>;
}
