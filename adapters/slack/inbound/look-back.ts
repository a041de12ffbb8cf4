import type { Api } from '../api.ts';
import { channelOf } from '../ids.ts';
import { ownChannels } from '../own-channels.ts';
import { MINUTE_MS, sleep, type Clock } from '../../../src/async/clock.ts';
import { faultFields } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { keyOf, type Channel, type Space } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

/** Lists the watched channels of a workspace that the app is in. Rejects with an `AppError`. */
export const watchedChannels = async (
  api: Api,
  listener: Pick<ChannelFeedListener, 'follows'>,
  space: Space,
): Promise<readonly Channel[]> => {
  const channels = await ownChannels(api, space);
  return channels
    .map(({ id }) => channelOf(space.id, id))
    .filter((channel) => listener.follows(channel));
};

/** The dependencies of all that looks for missed events. */
export interface LookDeps {
  readonly log: Log;
  readonly clock: Clock;
  /** The time, ms since 1970. */
  readonly now: () => number;
  /** Factor by which every wait is shorter. */
  readonly speed: number;
  readonly stopped: AbortSignal;
}

export interface LookBackDeps extends Omit<LookDeps, 'now'> {
  /**
   * Stores that the channels of a workspace are to be read, after so many ms at the latest. Rejects as the
   * database does.
   */
  readonly note: (space: Space, withinMs: number) => Promise<void>;
}

/** Wait after events were left out: Slack reports it each minute in which it leaves some out. */
const FIRST_WAIT_MS = MINUTE_MS;
/** Longest wait; the limit counts the events of an hour. */
const LONGEST_WAIT_MS = 30 * MINUTE_MS;
/** Time without a report after which the waits begin again with the first. */
const RESET_AFTER_MS = 60 * MINUTE_MS;
/** Time between two lines of the log. */
const LOG_EVERY_MS = MINUTE_MS;

/** The events of a workspace that Slack leaves out, on a clock whose times are `speed` times shorter. */
interface DroppedEvents {
  readonly reportedMs: number;
  /** Time at which the channels are read; undefined when they were read since. */
  readonly dueMs: number | undefined;
  readonly nextWaitMs: number;
}

/** The state after one more report that events of a workspace are left out. */
const nextState = (
  before: DroppedEvents | undefined,
  nowMs: number,
  speed: number,
): DroppedEvents => {
  const isRecent = before && nowMs - before.reportedMs <= RESET_AFTER_MS / speed;
  const { dueMs, nextWaitMs } = isRecent
    ? before
    : { dueMs: undefined, nextWaitMs: FIRST_WAIT_MS / speed };
  // Events that are left out in this minute have to be found, too.
  const leastMs = nowMs + FIRST_WAIT_MS / speed;
  if (dueMs !== undefined)
    return { reportedMs: nowMs, dueMs: Math.max(dueMs, leastMs), nextWaitMs };
  return {
    reportedMs: nowMs,
    dueMs: Math.max(leastMs, nowMs + nextWaitMs),
    nextWaitMs: Math.min(2 * nextWaitMs, LONGEST_WAIT_MS / speed),
  };
};

/** Creates the look back: it has the channels of a workspace read, as nothing tells which of them miss messages. */
export const createLookBack = ({ note, log, clock, speed, stopped }: LookBackDeps) => {
  const dropped = new Map<string, DroppedEvents>();
  let loggedMs = -Infinity;

  /** Has the channels of a workspace read; logs where that could not be stored. */
  const start = async (space: Space, withinMs = 0): Promise<void> => {
    try {
      await note(space, withinMs);
    } catch (thrown) {
      if (!stopped.aborted)
        log.error(faultFields(thrown), 'Slack: a look back could not be stored');
    }
  };

  /** Waits until the reading is due, which may be later than at first, and has the channels read. */
  const readWhenDue = async (space: Space): Promise<void> => {
    const key = keyOf(space);
    const waitMs = (): number => (dropped.get(key)?.dueMs ?? 0) - clock.nowMs();
    try {
      while (waitMs() > 0) await sleep(clock, waitMs(), stopped);
    } catch {
      return;
    }
    const state = dropped.get(key);
    // The workspace has removed the app meanwhile.
    if (state?.dueMs === undefined) return;
    dropped.set(key, { ...state, dueMs: undefined });
    await start(space);
  };

  return {
    start: (space: Space): void => void start(space),
    /**
     * Handles the report that Slack leaves out events of a workspace, of which it delivers 30,000 an hour.
     * What is missing is read later, and more rarely the longer that goes on.
     */
    eventsDropped: (space: Space): void => {
      const nowMs = clock.nowMs();
      if (nowMs - loggedMs >= LOG_EVERY_MS / speed) {
        loggedMs = nowMs;
        log.warn(
          { space: space.id },
          'Slack: events are left out, as the workspace has more than 30,000 an hour; they are read from the history later',
        );
      }
      const key = keyOf(space);
      const isWaiting = dropped.get(key)?.dueMs !== undefined;
      dropped.set(key, nextState(dropped.get(key), nowMs, speed));
      if (isWaiting) return;
      // Where this process ends before, another one reads them.
      void start(space, 2 * (LONGEST_WAIT_MS / speed));
      void readWhenDue(space);
    },
    /** Drops the state of a workspace that removed the app. */
    forgetSpace: (space: Space): void => void dropped.delete(keyOf(space)),
  };
};
