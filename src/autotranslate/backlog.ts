import type { MessageRef, Space } from '../model/place.ts';
import { type ErrorCode } from '../errors.ts';
/** The messages of a space's watched channels that wait, and those that were given up. */
export interface Backlog {
  readonly waiting: number;
  /** The time at which the oldest that waits was written, ms since 1970. */
  readonly oldestMs: number | undefined;
  readonly dead: number;
  /** The newest of the dead, with the reason of each. */
  readonly newestDead: readonly { readonly ref: MessageRef; readonly reason: ErrorCode }[];
}

export interface Inbox {
  backlog(space: Space): Promise<Backlog>;
  /** Tries all dead ones of the space again; resolves with how many. */
  revive(space: Space): Promise<number>;
}
