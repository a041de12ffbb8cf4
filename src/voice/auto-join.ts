import { type Log, logFailure } from '../log.ts';
import type { Channel, Space } from '../model/place.ts';
import { MINUTE_MS } from '../async/time.ts';
import type { Clock } from '../async/clock.ts';
import type { LeaveReason } from './room.ts';

export interface AutoJoinDeps {
  readonly clock: Clock;
  /** Whether any human is in a room. */
  readonly isPeopled: (room: Channel) => boolean;
  /** Whether moderators want us in a room while people are there, and we may go. */
  readonly isWanted: (room: Channel) => Promise<boolean>;
  /** The rooms of a space that moderators want us in. */
  readonly wantedIn: (space: Space) => Promise<readonly Channel[]>;
  /** Whether we are in any room of a space. */
  readonly isBusy: (space: Space) => boolean;
  /** Joins it, unless we are in another room by then. */
  readonly join: (room: Channel) => Promise<void>;
  readonly log: Log;
}

/** Joins rooms by itself: while people are there who did not send us away. */
export interface AutoJoin extends Disposable {
  /** Who is in a room has changed. */
  peopleChanged(room: Channel): void;
  /** We left a room. */
  left(room: Channel, reason: LeaveReason): void;
  /** Moderators chose other rooms. */
  choicesChanged(space: Space): void;
}

/** What failed is not tried again at each coming and going. */
const TRY_AGAIN_MS = MINUTE_MS;
/** Somebody has to change something first, of which nothing tells us. */
const TRY_REFUSED_AGAIN_MS = 10 * MINUTE_MS;

const keyOf = ({ space, id }: Channel): string => `${space.platform} ${space.id} ${id}`;

export const createAutoJoin = (deps: AutoJoinDeps): AutoJoin => {
  const { clock, isPeopled, isWanted, wantedIn, isBusy, join, log } = deps;
  /** Rooms whose people sent us away. */
  const banned = new Set<string>();
  const trying = new Set<string>();
  /** Rooms that are tried again later → what takes that back. */
  const waiting = new Map<string, () => void>();
  let isOver = false;

  const stopWaiting = (key: string): void => {
    waiting.get(key)?.();
    waiting.delete(key);
  };
  const tryLater = (room: Channel, delayMs: number): void => {
    const key = keyOf(room);
    if (isOver || waiting.has(key)) return;
    const cancel = clock.after(delayMs, () => {
      waiting.delete(key);
      void consider(room);
    });
    waiting.set(key, cancel);
  };
  const consider = async (room: Channel): Promise<void> => {
    const key = keyOf(room);
    if (!isPeopled(room)) banned.delete(key);
    else if (!isOver && ![banned, trying, waiting].some((places) => places.has(key))) {
      if (isBusy(room.space)) return;
      trying.add(key);
      const error = await logFailure(log, 'a room could not be joined', async () => {
        if (await isWanted(room)) await join(room);
      });
      trying.delete(key);
      if (error) tryLater(room, error.retryable ? TRY_AGAIN_MS : TRY_REFUSED_AGAIN_MS);
    }
  };
  const considerAll = (space: Space, isAnew = false): void =>
    void logFailure(log, 'the rooms of a space could not be looked at', async () => {
      for (const room of await wantedIn(space)) {
        if (isAnew) stopWaiting(keyOf(room));
        await consider(room);
      }
    });

  return {
    peopleChanged: (room) => void consider(room),
    left: (room, reason) => {
      if (isOver) return;
      const isSentAway = reason === 'told' || reason === 'thrown out';
      if (isSentAway && isPeopled(room)) banned.add(keyOf(room));
      if (reason === 'lost') tryLater(room, TRY_AGAIN_MS);
      considerAll(room.space);
    },
    choicesChanged: (space) => considerAll(space, true),
    [Symbol.dispose]: () => {
      isOver = true;
      for (const key of waiting.keys()) stopWaiting(key);
    },
  };
};
