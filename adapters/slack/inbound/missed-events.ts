import { MINUTE_MS, sleep, realClock } from '../../../src/async/clock.ts';
import { faultFields } from '../../../src/errors.ts';
import type { Agreements } from '../../../src/ports/processes.ts';
import type { Api } from '../api.ts';
import type { Installations } from '../install/installations.ts';
import { createLookBack, type LookDeps, watchedChannels } from './look-back.ts';
import { createPendingLooks } from './pending-looks.ts';
import type { Core } from '../../../src/adapter.ts';
import type { Space } from '../../../src/model/place.ts';

/** Name of the time at which some process surely took Slack's events last, ms since 1970. */
const TAKEN = 'slack-events-taken';
/**
 * Longest time without a process after which Slack sends every event of that time again, and soon: it tries at
 * once, after one minute and after five (docs.slack.dev, "The Events API", "Retries").
 */
const COVERED_MS = MINUTE_MS;
/** Time between two notes that this process takes events. */
const NOTE_MS = 15_000;

export interface EventCoverDeps extends LookDeps {
  readonly agreements: Pick<Agreements, 'read' | 'write'>;
  /** True while this process can take events. */
  readonly isTaking: () => boolean;
  /** Takes that events were missed; resolves once that is stored. */
  readonly missed: () => Promise<void>;
}

/**
 * Creates what knows whether Slack's events over HTTP were taken all the time, by whichever process: one that
 * gets no answer is sent again, to those that live.
 */
export const createEventCover = (deps: EventCoverDeps) => {
  const { agreements, clock, now, speed, log, stopped, isTaking, missed } = deps;
  let isKept = false;

  /** Has what was missed stored, before a later time is; resolves with the age of the last note. */
  const look = async (): Promise<number> => {
    const takenMs = (await agreements.read(TAKEN)).get(TAKEN);
    // A clock that was set tells nothing.
    const ageMs = takenMs === undefined ? Infinity : Math.abs(now() - takenMs);
    if (ageMs > COVERED_MS / speed) await missed();
    isKept = true;
    return ageMs;
  };

  const note = async (): Promise<void> => {
    try {
      const ageMs = await look();
      if (ageMs > NOTE_MS / speed / 2) await agreements.write({ [TAKEN]: now() });
    } catch (thrown) {
      log.warn(faultFields(thrown), 'Slack: that events are taken could not be noted');
    }
  };

  return {
    /** True where every event comes sooner or later, but for those of times whose history is read. */
    isKept: (): boolean => isKept,
    /** Looks whether events were missed before this process. Rejects as the database does. */
    look: async (): Promise<void> => void (await look()),
    /** Notes from now on that events are taken. */
    keep: async (): Promise<void> => {
      while (!stopped.aborted) {
        if (isTaking()) await note();
        await sleep(clock, NOTE_MS / speed, stopped).catch(() => undefined);
      }
    },
  };
};

export interface MissedEventsDeps extends Omit<LookDeps, 'log' | 'now'> {
  readonly api: Api;
  readonly core: Pick<Core, 'feedListener' | 'log' | 'processes' | 'receives'>;
  readonly installations: Pick<Installations, 'known' | 'list'>;
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
  const shared: LookDeps = { log, clock, now: Date.now, speed, stopped };
  const looks = createPendingLooks({
    ...shared,
    processes,
    isInstalled: (space) => installations.known(space) !== undefined,
    channelsOf: async (space) => watchedChannels(api, feedListener, space),
    readMissed: async (channel) => feedListener.readMissed(channel),
  });
  const lookBack = createLookBack({
    ...shared,
    note: async (space, withinMs) => looks.note(space, Date.now() + withinMs),
    clock: realClock,
  });
  const cover =
    core.receives && isTaking
      ? createEventCover({
          ...shared,
          agreements: processes.agreements,
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
