import { MINUTE_MS } from '../async/clock.ts';
import type { AppError } from '../errors.ts';
import type { Restrictions } from '../ports/voice.ts';
import { quotedWords } from '../text/quoted-words.ts';
import type { Attendance } from './attendance.ts';
import type { RoomContext } from './room-types.ts';

type StatusContext = Pick<RoomContext, 'clock' | 'messages' | 'texts'>;

/** Time for which lost packets are shown: once for all speakers, and not with a lost connection. */
const SHOWN_FOR_MS = 30_000;
/** Time after a move in which a lost connection is not shown: the move interrupts it. */
const MOVE_MS = 5_000;

const topicOf = (memberId: string): string => `audible ${memberId}`;

/** Shows in a room when a speaker or the connection is lost, and when it is back. */
export const createLinkStatus = (
  { clock, messages, texts }: StatusContext,
  { here, nameOf }: Pick<Attendance, 'here' | 'nameOf'>,
) => {
  const inaudible = new Set<string>();
  let isAway = false;
  let cancel: (() => void) | undefined;
  let movedMs = Number.NEGATIVE_INFINITY;
  let shownMs = Number.NEGATIVE_INFINITY;

  const nameParam = (memberId: string) => ({ name: quotedWords(nameOf(memberId)) });
  const settle = (memberId: string, key: 'room.hears-again' | 'room.left-unheard'): void => {
    if (!inaudible.delete(memberId)) return;
    void messages.settle(topicOf(memberId), texts.note(key, nameParam(memberId)));
  };
  const showAway = (): void => {
    const waitMs = movedMs + MOVE_MS - clock.nowMs();
    if (waitMs > 0) cancel = clock.after(waitMs, showAway);
    else void messages.show('connection', texts.note('room.reconnecting'));
  };

  return {
    audible: (memberId: string | undefined, isAudible: boolean): void => {
      if (memberId === undefined) {
        const key = isAudible ? 'room.hears-everyone' : 'room.cannot-hear-someone';
        void messages[isAudible ? 'settle' : 'show']('audible', texts.note(key));
        return;
      }
      if (isAudible) return settle(memberId, 'room.hears-again');
      inaudible.add(memberId);
      const content = texts.note('room.cannot-hear', nameParam(memberId));
      void messages.show(topicOf(memberId), content);
    },
    connected: (isConnected: boolean): void => {
      if (isAway || !isConnected) shownMs = clock.nowMs();
      isAway = !isConnected;
      cancel?.();
      if (isConnected) void messages.settle('connection', texts.note('room.reconnected'));
      else showAway();
    },
    moved: (): void => {
      movedMs = clock.nowMs();
    },
    missed: (ms: number): void => {
      if (clock.nowMs() - shownMs < SHOWN_FOR_MS) return;
      shownMs = clock.nowMs();
      void messages.post(texts.note('room.missed', { count: Math.round(ms / 1_000) }));
    },
    peopleChanged: (): void => {
      const present = new Set(here().map(({ id }) => id));
      for (const memberId of inaudible.difference(present)) settle(memberId, 'room.left-unheard');
    },
    [Symbol.dispose]: (): void => cancel?.(),
  };
};

/** Time for which a restriction, or its end, has lasted before it is shown. */
const LASTS_MS = 3_000;
/** Time without a restriction after which the next one gets a message of its own. */
const CALM_MS = MINUTE_MS;

/** Shows one restriction in a message that is edited while it comes and goes. */
const createTopic = (kind: keyof Restrictions, { clock, messages, texts }: StatusContext) => {
  const topic = `restricted ${kind}`;
  let now: AppError | undefined;
  let shown: AppError | undefined;
  let cancel: (() => void) | undefined;

  const update = (): void => {
    const before = shown;
    shown = now;
    if (shown) {
      const content = { text: texts.reason(shown), tone: 'note' } as const;
      return void messages.show(topic, content);
    }
    if (!before) return;
    const lifted = texts.note(kind === 'speaking' ? 'room.may-speak' : 'room.may-hear');
    void messages.show(topic, lifted);
    cancel = clock.after(CALM_MS, () => void messages.settle(topic, lifted));
  };
  return {
    set: (fault: AppError | undefined): void => {
      if (fault?.sentence?.key === now?.sentence?.key) return;
      now = fault;
      cancel?.();
      cancel = clock.after(LASTS_MS, update);
    },
    shown: (): AppError | undefined => shown,
    [Symbol.dispose]: (): void => cancel?.(),
  };
};

/**
 * Shows in a room what moderators keep the bot from, and when they no longer do: once for each time, however
 * often it changes meanwhile.
 */
export const createRestrictionStatus = (room: StatusContext) => {
  const speaking = createTopic('speaking', room);
  const hearing = createTopic('hearing', room);
  return {
    set: (restrictions: Restrictions): void => {
      speaking.set(restrictions.speaking);
      hearing.set(restrictions.hearing);
    },
    /** The restrictions that are shown and still hold. */
    shown: (): Restrictions => ({ speaking: speaking.shown(), hearing: hearing.shown() }),
    [Symbol.dispose]: (): void => {
      speaking[Symbol.dispose]();
      hearing[Symbol.dispose]();
    },
  };
};
