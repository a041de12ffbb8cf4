import { createLru } from '../async/lru.ts';
import type { Clock } from '../async/clock.ts';
import type { RoomMember } from '../ports/voice.ts';

export interface AttendanceDeps {
  readonly clock: Clock;
  /** Everybody who is there now, ourselves left out. */
  readonly present: () => readonly RoomMember[];
  /** No human was there for a while. */
  readonly empty: () => void;
}

/** Who is in a room, and who was. */
export interface Attendance extends Disposable {
  readonly here: () => readonly RoomMember[];
  /** Everybody who was there since we joined. */
  readonly everHere: ReadonlySet<string>;
  /** As the room's people see it, also of those who left; the id of somebody unknown. */
  readonly nameOf: (memberId: string) => string;
  /** Undefined where it is not known. */
  readonly knownName: (memberId: string) => string | undefined;
  /** To be called when who is there has changed. */
  look(): void;
}

const NAMES_KEPT = 1_000;
/** People come back from a short absence. */
const EMPTY_MS = 15_000;

export const createAttendance = ({ clock, present, empty }: AttendanceDeps): Attendance => {
  const everHere = new Set<string>();
  const names = createLru<string, string>(NAMES_KEPT);
  let cancel: (() => void) | undefined;
  let isOver = false;
  const stopWaiting = (): void => {
    cancel?.();
    cancel = undefined;
  };
  return {
    here: present,
    everHere,
    nameOf: (memberId) => names.get(memberId) ?? memberId,
    knownName: (memberId) => names.get(memberId),
    look: () => {
      if (isOver) return;
      const here = present();
      for (const { id, name } of here) {
        names.set(id, name);
        everHere.add(id);
      }
      if (here.some(({ isBot }) => !isBot)) stopWaiting();
      else cancel ??= clock.after(EMPTY_MS, empty);
    },
    [Symbol.dispose]: () => {
      isOver = true;
      stopWaiting();
    },
  };
};
