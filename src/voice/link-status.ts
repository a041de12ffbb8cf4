import type { Clock } from '../async/clock.ts';
import type { LinkListener } from '../ports/voice.ts';
import type { Attendance } from './attendance.ts';
import type { StatusMessages } from './status-messages.ts';
import type { RoomTexts } from './texts.ts';

export interface LinkStatusDeps {
  readonly clock: Clock;
  readonly attendance: Pick<Attendance, 'here' | 'nameOf'>;
  readonly messages: Pick<StatusMessages, 'show' | 'settle' | 'post'>;
  readonly texts: RoomTexts;
}

/** Shows in a room when a speaker or the connection is lost, and when it is back. */
export interface LinkStatus
  extends Pick<LinkListener, 'audible' | 'connected' | 'missed'>, Disposable {
  /** Notes that somebody moved the bot. */
  moved(): void;
  peopleChanged(): void;
}

/** Time for which lost packets are shown: once for all speakers, and not with a lost connection. */
const SHOWN_FOR_MS = 30_000;
/** Time after a move in which a lost connection is not shown: the move interrupts it. */
const MOVE_MS = 5_000;

const topicOf = (memberId: string): string => `audible ${memberId}`;

export const createLinkStatus = (deps: LinkStatusDeps): LinkStatus => {
  const { clock, attendance, messages, texts } = deps;
  const inaudible = new Set<string>();
  let isAway = false;
  let cancel: (() => void) | undefined;
  let movedMs = Number.NEGATIVE_INFINITY;
  let shownMs = Number.NEGATIVE_INFINITY;

  const settle = (memberId: string, text: 'audibleAgain' | 'leftInaudible'): void => {
    if (!inaudible.delete(memberId)) return;
    void messages.settle(topicOf(memberId), texts[text](attendance.nameOf(memberId)));
  };

  const showAway = (): void => {
    const leftMs = movedMs + MOVE_MS - clock.nowMs();
    if (leftMs > 0) cancel = clock.after(leftMs, showAway);
    else void messages.show('connection', texts.status('room.reconnecting'));
  };

  return {
    audible: (memberId, isAudible) => {
      if (isAudible) return settle(memberId, 'audibleAgain');
      inaudible.add(memberId);
      const text = texts.inaudible(attendance.nameOf(memberId));
      void messages.show(topicOf(memberId), text);
    },
    connected: (isConnected) => {
      if (isAway || !isConnected) shownMs = clock.nowMs();
      isAway = !isConnected;
      cancel?.();
      if (isConnected) void messages.settle('connection', texts.status('room.reconnected'));
      else showAway();
    },
    moved: () => {
      movedMs = clock.nowMs();
    },
    missed: (ms) => {
      if (clock.nowMs() - shownMs < SHOWN_FOR_MS) return;
      shownMs = clock.nowMs();
      void messages.post(texts.missed(ms));
    },
    peopleChanged: () => {
      const here = new Set(attendance.here().map(({ id }) => id));
      for (const memberId of inaudible.difference(here)) settle(memberId, 'leftInaudible');
    },
    [Symbol.dispose]: () => cancel?.(),
  };
};
