import { onClockJump, realClock, type Clock } from '../async/clock.ts';
import type { Log } from '../telemetry/log.ts';
import type { SlotOwner } from '../cluster/slot-owner.ts';
import type { InboxStore } from '../store/inbox/index.ts';
import { INBOX, type Scheduler } from './scheduler.ts';

export interface InboxWorkDeps {
  readonly slots: SlotOwner;
  readonly inbox: Pick<InboxStore, 'clockSet' | 'takeOver' | 'partitions'>;
  readonly scheduler: Pick<Scheduler, 'wake' | 'isKnown' | 'endSlot'>;
  /** Names of the platforms whose messages can be worked on. */
  readonly readyPlatforms: () => readonly string[];
  readonly log: Log;
  /** Wall time, ms since 1970, by which rows are due. */
  readonly now: () => number;
  /** The clock of the looks. Default: real time. */
  readonly clock?: Clock;
}

/** Time between two looks for rows of which this process was not told. */
const LOOK_MS = 5_000;

/**
 * Finds the stored work of this process's slots, and has it scheduled: when a platform is ready, when a slot is taken
 * over, and now and then.
 */
export const createInboxWork = (deps: InboxWorkDeps) => {
  const { slots, inbox, scheduler, readyPlatforms, log, now, clock = realClock } = deps;
  /** Platforms whose messages can be worked on. */
  const ready = new Set<string>();
  let looking: Promise<void> = Promise.resolve();

  const look = async (which: readonly number[], platforms: readonly string[]): Promise<void> => {
    try {
      // A row that waited for a retry is due at once where its message has changed.
      for (const { partition, dueMs } of await inbox.partitions(platforms, which))
        if (!scheduler.isKnown(partition, dueMs)) scheduler.wake(partition);
    } catch (err) {
      log.warn({ err }, 'the inbox could not be looked through');
    }
  };
  const lookNext = (which: () => readonly number[], platforms = () => [...ready]): void => {
    looking = looking.then(() => look(which(), platforms()));
  };
  /** Slots that were taken over since the last look, which the next one looks through together. */
  const begun: number[] = [];

  slots.serve(INBOX, {
    takeOver: (slot, tenure) => inbox.takeOver(slot, tenure),
    begin: (slot) => void (begun.push(slot) === 1 && lookNext(() => begun.splice(0))),
    end: (slot, tenure, withinMs) => scheduler.endSlot(slot, tenure, withinMs),
    // Of a slot that is being taken over, everything is looked for anyway.
    hear: (partition) => {
      if (slots.tenureOf(partition)) scheduler.wake(partition);
    },
  });
  let cancel: (() => void) | undefined;
  const clockJumped = async (): Promise<void> => {
    try {
      await inbox.clockSet(slots.slots());
      for (const { partition } of await inbox.partitions([...ready], slots.slots()))
        scheduler.wake(partition);
    } catch (err) {
      log.warn({ err }, 'the inbox could not be looked through after the clock was set');
    }
  };
  const following = onClockJump(
    () => {
      looking = looking.then(clockJumped);
    },
    { now, clock },
  );
  const lookLater = (): void => {
    cancel = clock.after(LOOK_MS, () => {
      for (const platform of readyPlatforms()) ready.add(platform);
      lookNext(slots.slots);
      lookLater();
    });
  };
  lookLater();

  return {
    /** Begins with the messages of a platform that is ready. */
    resume: (platform: string): void => {
      if (ready.has(platform)) return;
      ready.add(platform);
      lookNext(slots.slots, () => [platform]);
    },
    /** Resolves when no look is under way. */
    looked: () => looking,
    [Symbol.dispose]: () => {
      cancel?.();
      following[Symbol.dispose]();
    },
  };
};
