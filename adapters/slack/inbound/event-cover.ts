import { MINUTE_MS, sleep, type Clock } from '../../../src/async/clock.ts';
import { faultFields } from '../../../src/errors.ts';
import type { Log } from '../../../src/telemetry/log.ts';
import type { Agreements } from '../../../src/ports/processes.ts';

/** Name of the time at which some process surely took Slack's events last, ms since 1970. */
const TAKEN = 'slack-events-taken';
/**
 * Longest time without a process after which Slack sends every event of that time again, and soon: it tries at
 * once, after one minute and after five (docs.slack.dev, "The Events API", "Retries").
 */
const COVERED_MS = MINUTE_MS;
/** Time between two notes that this process takes events. */
const NOTE_MS = 15_000;

export interface EventCoverDeps {
  readonly agreements: Pick<Agreements, 'read' | 'write'>;
  readonly clock: Clock;
  /** The time, ms since 1970. */
  readonly now: () => number;
  /** Every time is so many times shorter. */
  readonly speed: number;
  readonly log: Log;
  readonly stopped: AbortSignal;
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
