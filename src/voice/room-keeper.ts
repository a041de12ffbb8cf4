import { logFailure } from '../telemetry/log.ts';
import type { Space } from '../model/place.ts';
import type { StoredRoom } from '../model/room.ts';
import type { Tenure } from '../ports/processes.ts';
import type { OpenRooms } from '../store/open-rooms.ts';
import type { RoomContext } from './room-types.ts';

export interface RoomKeeperDeps extends Pick<RoomContext, 'clock' | 'now' | 'log'> {
  readonly rows: Pick<OpenRooms, 'save' | 'seen' | 'remove'>;
  readonly tenure: Pick<Tenure, 'epoch'>;
  readonly space: Space;
}

/** Time between two notes that the process works: the last one shows, after a restart, since when nothing was heard. */
const SEEN_EVERY_MS = 15_000;

/** Keeps the stored row of an open room up to date, from `begin` on. */
export const createRoomKeeper = ({ rows, tenure, space, clock, now, log }: RoomKeeperDeps) => {
  /** The room as it is now; undefined before `begin`. */
  let current: (() => StoredRoom) | undefined;
  /** The room as it was when it ended. */
  let last: StoredRoom | undefined;
  let isOpen = false;
  let saving: Promise<void> | undefined;
  let isDue = false;
  let cancel: (() => void) | undefined;

  const save = async (room: () => StoredRoom): Promise<void> => {
    while (isDue) {
      isDue = false;
      await logFailure(log, 'an open room could not be stored', () =>
        rows.save(space, tenure.epoch, () => ({ room: last ?? room(), seenMs: now() })),
      );
    }
    saving = undefined;
  };
  const changed = (): void => {
    if (!isOpen || !current) return;
    isDue = true;
    saving ??= save(current);
  };
  const watch = (): void => {
    cancel = clock.after(SEEN_EVERY_MS, () => {
      watch();
      void logFailure(log, 'an open room could not be noted', () =>
        rows.seen(space, tenure.epoch, now()),
      );
    });
  };
  const end = (): void => {
    isOpen = false;
    cancel?.();
  };
  const stop = (): void => {
    end();
    isDue = false;
  };

  return {
    /** Stores the room; resolves when that is done. */
    begin: async (room: () => StoredRoom): Promise<void> => {
      if (isOpen) return;
      current = room;
      isOpen = true;
      watch();
      changed();
      await saving;
    },
    /** Stores the room again, soon; must be called when it has changed. */
    changed,
    /** Ends, and leaves the row to the process that is in charge now. */
    stop,
    /** Ends with a row of the room as it is now, so that the bot comes back after a restart. */
    leaveRow: async (): Promise<void> => {
      last = current?.();
      changed();
      end();
      await saving;
    },
    /** Ends, and removes the row: the bot is not to come back. */
    removeRow: async (): Promise<void> => {
      stop();
      await saving;
      await logFailure(log, 'an open room could not be removed', () =>
        rows.remove(space, tenure.epoch),
      );
    },
  };
};
