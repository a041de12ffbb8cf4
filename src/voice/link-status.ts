import type { Clock } from '../async/clock.ts';
import type { Attendance } from './attendance.ts';
import type { StatusMessages } from './status-messages.ts';
import type { LinkListener } from '../ports/voice.ts';
import type { RoomTexts } from './texts.ts';

export interface LinkStatusDeps {
  readonly clock: Clock;
  readonly attendance: Pick<Attendance, 'here' | 'nameOf'>;
  readonly notes: Pick<StatusMessages, 'show' | 'settle' | 'post'>;
  readonly texts: RoomTexts;
}

/** Tells a room of whom and what we cannot hear, and when we can again. */
export interface LinkStatus
  extends Pick<LinkListener, 'audible' | 'connected' | 'missed'>, Disposable {
  /** Somebody moved us. */
  moved(): void;
  peopleChanged(): void;
}

/** Everybody misses the same seconds, and so does whoever was told that the connection is lost. */
const TOLD_FOR_MS = 30_000;
/** A move takes the connection down and is told anyway. */
const MOVE_MS = 5_000;

export const createLinkStatus = (deps: LinkStatusDeps): LinkStatus => {
  const { clock, attendance, notes, texts } = deps;
  const inaudible = new Set<string>();
  let isAway = false;
  let cancel: (() => void) | undefined;
  let movedMs = Number.NEGATIVE_INFINITY;
  let toldMs = Number.NEGATIVE_INFINITY;

  const settle = (memberId: string, what: 'hearsAgain' | 'leftUnheard'): void => {
    if (!inaudible.delete(memberId)) return;
    void notes.settle(`hear ${memberId}`, texts[what](attendance.nameOf(memberId)));
  };

  const tellAway = (): void => {
    const leftMs = movedMs + MOVE_MS - clock.nowMs();
    if (leftMs > 0) cancel = clock.after(leftMs, tellAway);
    else void notes.show('connection', texts.note('room.reconnecting'));
  };

  return {
    audible: (memberId, isAudible) => {
      if (isAudible) return settle(memberId, 'hearsAgain');
      inaudible.add(memberId);
      void notes.show(`hear ${memberId}`, texts.cannotHear(attendance.nameOf(memberId)));
    },
    connected: (isConnected) => {
      if (isAway || !isConnected) toldMs = clock.nowMs();
      isAway = !isConnected;
      cancel?.();
      if (isConnected) void notes.settle('connection', texts.note('room.reconnected'));
      else tellAway();
    },
    moved: () => {
      movedMs = clock.nowMs();
    },
    missed: (ms) => {
      if (clock.nowMs() - toldMs < TOLD_FOR_MS) return;
      toldMs = clock.nowMs();
      void notes.post(texts.missed(ms));
    },
    peopleChanged: () => {
      const here = new Set(attendance.here().map(({ id }) => id));
      for (const memberId of inaudible.difference(here)) settle(memberId, 'leftUnheard');
    },
    [Symbol.dispose]: () => cancel?.(),
  };
};
