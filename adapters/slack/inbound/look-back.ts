import { z } from 'zod';
import type { Api } from '../api.ts';
import { channelOf } from '../ids.ts';
import { CHANNELS_PAGE } from '../limits.ts';
import { readCursorPages, responseMetadata } from '../pagination.ts';
import { MINUTE_MS } from '../../../src/async/time.ts';
import { sleep, type Clock } from '../../../src/async/clock.ts';
import { toAppError } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import { keyOf, type Channel, type Space } from '../../../src/model/place.ts';
import type { ChannelFeedListener } from '../../../src/ports/channel-feed.ts';

export interface LookBackDeps {
  readonly api: Api;
  readonly listener: Pick<ChannelFeedListener, 'follows'>;
  /**
   * Stores that the channels of a workspace are to be read, after so many ms at the latest. Rejects as the
   * database does.
   */
  readonly note: (space: Space, withinMs: number) => Promise<void>;
  readonly log: Log;
  readonly clock: Clock;
  /** Every wait is so many times shorter. */
  readonly speed: number;
  readonly stopped: AbortSignal;
}

const channelsPage = z.object({
  channels: z.array(z.object({ id: z.string() })),
  response_metadata: responseMetadata,
});

/** Wait after events were left out: Slack tells of it each minute in which it leaves some out. */
const FIRST_WAIT_MS = MINUTE_MS;
/** Longest wait; the limit is of an hour. */
const LONGEST_WAIT_MS = 30 * MINUTE_MS;
/** Time without a report after which the waits begin anew. */
const RESET_AFTER_MS = 60 * MINUTE_MS;
/** Time between two lines of the log. */
const LOG_EVERY_MS = MINUTE_MS;

/** Events of a workspace that are being left out. */
interface DroppedEvents {
  /** Time of the last report. */
  reportedMs: number;
  /** Time at which the channels are read. */
  dueMs: number;
  nextWaitMs: number;
  isWaiting: boolean;
}

/** Creates what finds gaps: in all channels that the app is in, as nothing tells which have one. */
export const createLookBack = (deps: LookBackDeps) => {
  const { api, listener, note, log, clock, speed, stopped } = deps;
  const limited = new Map<string, DroppedEvents>();
  let loggedMs = -Infinity;

  /** Lists the watched channels that the app is in. Rejects with an `AppError`. */
  const channelsOf = async (space: Space): Promise<readonly Channel[]> => {
    const found: Channel[] = [];
    const types = 'public_channel,private_channel';
    const pages = readCursorPages(async (at) => {
      const args = { types, exclude_archived: true, limit: CHANNELS_PAGE, ...at };
      return channelsPage.parse(await api.call(space, 'users.conversations', args));
    });
    for await (const { channels } of pages)
      found.push(...channels.map(({ id }) => channelOf(space.id, id)).filter(listener.follows));
    return found;
  };

  /** Has the channels of a workspace read; logs where that could not be stored. */
  const start = async (space: Space, withinMs = 0): Promise<void> => {
    try {
      await note(space, withinMs);
    } catch (thrown) {
      const { code, message: reason } = toAppError(thrown);
      if (!stopped.aborted) log.error({ code, reason }, 'Slack: a look back could not be stored');
    }
  };

  /** Waits until it is due, which may be later than it was at first, and reads the channels. */
  const readWhenDue = async (space: Space, dropped: DroppedEvents): Promise<void> => {
    try {
      for (let nowMs = clock.nowMs(); nowMs < dropped.dueMs; nowMs = clock.nowMs())
        await sleep(clock, dropped.dueMs - nowMs, stopped);
    } catch {
      return;
    }
    dropped.isWaiting = false;
    // Otherwise the workspace has removed the app.
    if (limited.get(keyOf(space)) === dropped) await start(space);
  };

  return {
    channelsOf,
    start: (space: Space): void => void start(space),
    /**
     * Handles the report that Slack leaves out events of a workspace, of which it delivers 30,000 an hour.
     * What is missing is read later, and more rarely as long as that goes on.
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
      const known = limited.get(key);
      const isNew = !known || nowMs - known.reportedMs > RESET_AFTER_MS / speed;
      const dropped = isNew
        ? { reportedMs: nowMs, dueMs: 0, nextWaitMs: FIRST_WAIT_MS / speed, isWaiting: false }
        : known;
      limited.set(key, dropped);
      dropped.reportedMs = nowMs;
      // What is left out in this minute too must be found.
      dropped.dueMs = Math.max(dropped.dueMs, nowMs + FIRST_WAIT_MS / speed);
      if (dropped.isWaiting) return;
      dropped.dueMs = Math.max(dropped.dueMs, nowMs + dropped.nextWaitMs);
      dropped.nextWaitMs = Math.min(2 * dropped.nextWaitMs, LONGEST_WAIT_MS / speed);
      dropped.isWaiting = true;
      // Where this process ends before, another one reads them.
      void start(space, 2 * (LONGEST_WAIT_MS / speed));
      void readWhenDue(space, dropped);
    },
    /** Drops what is known of a workspace that removed the app. */
    forgetSpace: (space: Space): void => void limited.delete(keyOf(space)),
  };
};
