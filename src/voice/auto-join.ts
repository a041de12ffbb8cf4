import { type Log, logFailure } from '../telemetry/log.ts';
import { channelKey, type Channel, type Space } from '../model/place.ts';
import { MINUTE_MS, type Clock } from '../async/clock.ts';
import type { LeaveReason } from './room-end.ts';

export interface AutoJoinDeps {
  readonly clock: Clock;
  readonly isPeopled: (room: Channel) => boolean;
  /** True when moderators chose a room to be joined, and the bot may join it. */
  readonly mayJoin: (room: Channel) => Promise<boolean>;
  /** The rooms of a space that moderators chose. */
  readonly chosenIn: (space: Space) => Promise<readonly Channel[]>;
  readonly isBusy: (space: Space) => boolean;
  /** Joins a room, unless the bot is in another one by then. */
  readonly join: (room: Channel) => Promise<void>;
  readonly log: Log;
}

/** Wait after a failure, even when people come or go meanwhile. */
const JOIN_AGAIN_AFTER_MS = MINUTE_MS;
/** Wait after a refusal that lasts until somebody changes a setting, which cannot be observed. */
const REFUSED_AGAIN_AFTER_MS = 10 * MINUTE_MS;

/** Joins chosen rooms while people are there, until they ask the bot to leave. */
export const createAutoJoin = (deps: AutoJoinDeps) => {
  const { clock, isPeopled, mayJoin, chosenIn, isBusy, join, log } = deps;
  /** Rooms whose people asked the bot to leave. */
  const banned = new Set<string>();
  const trying = new Set<string>();
  /** Rooms that are considered again later, each with the function that cancels that. */
  const waiting = new Map<string, () => void>();
  let isOver = false;

  const stopWaiting = (key: string): void => {
    waiting.get(key)?.();
    waiting.delete(key);
  };
  const consider = async (room: Channel): Promise<void> => {
    const key = channelKey(room);
    if (!isPeopled(room)) banned.delete(key);
    else if (!isOver && ![banned, trying, waiting].some((places) => places.has(key))) {
      if (isBusy(room.space)) return;
      trying.add(key);
      const error = await logFailure(log, 'a room could not be joined', async () => {
        if (await mayJoin(room)) await join(room);
      });
      trying.delete(key);
      if (error)
        considerLater(room, error.retryable ? JOIN_AGAIN_AFTER_MS : REFUSED_AGAIN_AFTER_MS);
    }
  };
  function considerLater(room: Channel, delayMs: number): void {
    const key = channelKey(room);
    if (isOver || waiting.has(key)) return;
    const cancel = clock.after(delayMs, () => {
      waiting.delete(key);
      void consider(room);
    });
    waiting.set(key, cancel);
  }
  const considerAll = (space: Space, endsWaits = false): void =>
    void logFailure(log, 'the chosen rooms of a space could not be read', async () => {
      for (const room of await chosenIn(space)) {
        if (endsWaits) stopWaiting(channelKey(room));
        await consider(room);
      }
    });

  return {
    /** Considers all chosen rooms of a space. */
    consider: (space: Space): void => considerAll(space),
    peopleChanged: (room: Channel): void => void consider(room),
    roomEnded: (room: Channel, reason: LeaveReason): void => {
      if (isOver) return;
      const isSentAway = reason === 'requested' || reason === 'thrown out';
      if (isSentAway && isPeopled(room)) banned.add(channelKey(room));
      if (reason === 'lost') considerLater(room, JOIN_AGAIN_AFTER_MS);
      considerAll(room.space);
    },
    choicesChanged: (space: Space): void => considerAll(space, true),
    [Symbol.dispose]: () => {
      isOver = true;
      for (const key of waiting.keys()) stopWaiting(key);
    },
  };
};
