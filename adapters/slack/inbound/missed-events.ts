import type { Api } from '../api.ts';
import type { Installations } from '../install/installations.ts';
import { createEventCover } from './event-cover.ts';
import { createLookBack, watchedChannels } from './look-back.ts';
import { createPendingLooks } from './pending-looks.ts';
import type { Core } from '../../../src/adapter.ts';
import { realClock, type Clock } from '../../../src/async/clock.ts';
import type { Space } from '../../../src/model/place.ts';

export interface MissedEventsDeps {
  readonly api: Api;
  readonly core: Pick<Core, 'feedListener' | 'log' | 'processes' | 'receives'>;
  readonly installations: Pick<Installations, 'known' | 'list'>;
  readonly clock: Clock;
  /** Factor by which every wait is shorter. */
  readonly speed: number;
  readonly stopped: AbortSignal;
  /**
   * True while this process can take events; undefined for Socket Mode, where Slack may not send again
   * what came while nothing was connected.
   */
  readonly isTaking: (() => boolean) | undefined;
}

/** Creates what finds that events were missed, and has the channels of the workspaces read then. */
export const createMissedEvents = (deps: MissedEventsDeps) => {
  const { api, core, installations, clock, speed, stopped, isTaking } = deps;
  const { feedListener, log, processes } = core;
  const looks = createPendingLooks({
    processes,
    isInstalled: (space) => installations.known(space) !== undefined,
    channelsOf: async (space) => watchedChannels(api, feedListener, space),
    readMissed: async (channel) => feedListener.readMissed(channel),
    log,
    clock,
    now: Date.now,
    stopped,
  });
  const lookBack = createLookBack({
    note: async (space, withinMs) => looks.note(space, Date.now() + withinMs),
    log,
    clock: realClock,
    speed,
    stopped,
  });
  const cover =
    core.receives && isTaking
      ? createEventCover({
          agreements: processes.agreements,
          clock,
          now: Date.now,
          speed,
          log,
          stopped,
          isTaking,
          missed: async () => {
            for (const space of installations.list()) await looks.note(space);
          },
        })
      : undefined;

  return {
    /** True where every event of a workspace comes sooner or later. */
    reportsAll: (space: Space): boolean => cover?.isKept() === true && !looks.isPending(space),
    /** Stores that the channels of a workspace are to be read. Rejects as the database does. */
    note: async (space: Space): Promise<void> => looks.note(space),
    /** Has the channels of a workspace read; logs where that could not be stored. */
    lookBack: lookBack.start,
    eventsDropped: lookBack.eventsDropped,
    /**
     * Goes on with what is stored, and finds whether events were missed before this process. Rejects as the
     * database does.
     *
     * @param handled resolves when the earlier events of a workspace were handled
     */
    resume: async (handled: (space: Space) => Promise<void>): Promise<void> => {
      if (core.receives) await looks.start(handled);
      await cover?.look();
    },
    /** Takes a connection, before which events may have been missed. */
    connected: (): void => {
      if (cover) void cover.keep();
      else for (const space of installations.list()) lookBack.start(space);
    },
    forgetSpace: lookBack.forgetSpace,
    /** Removes what is stored of a workspace that removed the app. */
    removed: looks.forgetSpace,
  };
};
