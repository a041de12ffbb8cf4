import { createLru } from '../async/lru.ts';
import type { Clock } from '../async/clock.ts';
import type { RoomMember } from '../ports/voice.ts';

export interface AttendanceDeps {
  readonly clock: Clock;
  /** Members who are present now, without the bot. */
  readonly present: () => readonly RoomMember[];
  /** Called when no human has been present for a while. */
  readonly empty: () => void;
}

const MOST_NAMES = 1_000;
/** Time without people before `empty` is called: people come back from a short absence. */
const EMPTY_MS = 15_000;

export type Attendance = ReturnType<typeof createAttendance>;

/** Tracks the members who are in a room and those who were. */
export const createAttendance = ({ clock, present, empty }: AttendanceDeps) => {
  const everHere = new Set<string>();
  const names = createLru<string, string>(MOST_NAMES);
  let cancel: (() => void) | undefined;
  let isOver = false;
  const stopWaiting = (): void => {
    cancel?.();
    cancel = undefined;
  };
  return {
    here: present,
    /** Ids of all members who were present since the bot joined. */
    everHere: everHere as ReadonlySet<string>,
    /** A member's name as the room sees it, also after they left; the id of somebody unknown. */
    nameOf: (memberId: string): string => names.get(memberId) ?? memberId,
    knownName: (memberId: string): string | undefined => names.get(memberId),
    /** Updates the members; must be called when people join or leave. */
    update: (): void => {
      if (isOver) return;
      const here = present();
      for (const { id, name } of here) {
        names.set(id, name);
        everHere.add(id);
      }
      if (here.some(({ isBot }) => !isBot)) stopWaiting();
      else cancel ??= clock.after(EMPTY_MS, empty);
    },
    [Symbol.dispose]: (): void => {
      isOver = true;
      stopWaiting();
    },
  };
};
